#pragma once

/// @file
/// Registers of the calls that a warp makes.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace weft::emulator {

struct Routine;
struct Warp;

/// The frames of a warp's calls. One that all lanes have left serves the next call of the same routine.
class Frames {
 public:
  /// @param lanes that make the call
  std::byte* enter(const Warp& warp, const Routine& routine, std::uint32_t lanes);

  /// Some of those lanes return, or exit.
  void leave(const std::byte* frame, std::uint32_t lanes);

  /// Another block begins: no lane is in a call, and special registers have other values.
  void restart();

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct Frame {
    const Routine* routine = nullptr;
    std::unique_ptr<std::byte[], Free> memory;
    std::uint32_t lanes = 0;
    bool filled = false;  ///< with constants and special registers
  };

  std::vector<Frame> frames_;
};

}  // namespace weft::emulator
