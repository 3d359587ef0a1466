#pragma once

/// @file
/// What a kernel did wrong, told so that it can be found: kernel, source line, block, thread, address.

#include <cstdint>
#include <string>

#include "emulator/error.hpp"
#include "emulator/execute/block.hpp"
#include "emulator/names.hpp"

namespace weft::emulator {

/// An error of the emulated program while a kernel runs.
class Fault : public Error {
 public:
  enum class Kind : std::uint8_t { failure, illegal_address, misaligned_address };

  explicit Fault(const std::string& what, Kind kind = Kind::failure) : Error(what), kind_(kind) {}

  [[nodiscard]] Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// The assertions of a warp that do not hold, a line each, as CUDA prints them.
class AssertionFailure : public Fault {
 public:
  using Fault::Fault;
};

/// Where in its block a thread is.
Extents thread_index(const Warp& warp, int lane);

/// A fault of one thread.
/// @param what such as "writes 4 bytes behind the end of its block's shared memory"
Fault fault(const Warp& warp, const Operation& operation, int lane, const std::string& what,
            Fault::Kind kind = Fault::Kind::failure);

/// "reads 4 bytes"
std::string access_text(const Site& site);

/// "(3, 0, 0)"
/// @param thread its number in its block
std::string thread_text(const Block& block, std::uint32_t thread);

/// "kernel.cu:12"
std::string position_text(const Routine& routine, const ptx::Position& position);

/// No warp of a block can ever go on.
Fault deadlock(const Block& block);

}  // namespace weft::emulator
