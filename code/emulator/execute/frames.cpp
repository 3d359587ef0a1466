#include "emulator/execute/frames.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "emulator/execute/block.hpp"

namespace weft::emulator {

std::byte* Frames::enter(const Warp& warp, const Routine& routine, std::uint32_t lanes) {
  auto frame = std::ranges::find_if(
      frames_, [&](const Frame& known) { return known.lanes == 0 && known.routine == &routine; });
  if (frame == frames_.end()) {
    constexpr std::size_t alignment = 64;
    const std::size_t bytes =
        (std::max<std::size_t>(routine.frame_bytes, 1) + alignment - 1) / alignment * alignment;
    Frame made;
    made.routine = &routine;
    made.memory.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, bytes)));
    if (made.memory == nullptr) throw std::bad_alloc();
    std::memset(made.memory.get(), 0, bytes);
    frame = frames_.insert(frames_.end(), std::move(made));
  }
  if (!frame->filled) fill_frame(*warp.block, warp, routine, frame->memory.get());
  frame->filled = true;
  frame->lanes = lanes;
  return frame->memory.get();
}

void Frames::leave(const std::byte* frame, std::uint32_t lanes) {
  const auto left =
      std::ranges::find_if(frames_, [&](const Frame& known) { return known.memory.get() == frame; });
  if (left != frames_.end()) left->lanes &= ~lanes;
}

void Frames::restart() {
  for (Frame& frame : frames_) {
    frame.lanes = 0;
    frame.filled = false;
  }
}

}  // namespace weft::emulator
