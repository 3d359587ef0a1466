#pragma once

/// @file
/// What a kernel did wrong, told so that it can be found: kernel, source line, block, thread, address.

#include <cstdint>
#include <string>

#include "emulator/error.hpp"
#include "emulator/execute/block.hpp"

namespace weft::emulator {

/// An error of the emulated program while a kernel runs.
class Fault : public Error {
 public:
  using Error::Error;
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
Fault fault(const Warp& warp, const Operation& operation, int lane, const std::string& what);

/// A number as addresses are written, `0x7f00`.
std::string hexadecimal(std::uint64_t value);

/// No warp of a block can ever go on.
Fault deadlock(const Block& block);

}  // namespace weft::emulator
