#include "emulator/execute/fault.hpp"

#include <bit>

#include "emulator/names.hpp"

namespace weft::emulator {
namespace {

std::string text_of(const Extents& place) {
  return '(' + std::to_string(place.x) + ", " + std::to_string(place.y) + ", " + std::to_string(place.z) +
         ')';
}

std::string place_of(const Routine& routine, const Operation& operation) {
  const Origin& origin = routine.origin(operation);
  std::string const text = origin.position.line != 0
                               ? routine.file_of(origin.position) + ':' + std::to_string(origin.position.line)
                               : "PTX line " + std::to_string(origin.line);
  return text + " (" + std::string(origin.opcode) + ')';
}

}  // namespace

std::string access_text(const Site& site) {
  return (site.write ? "writes " : "reads ") + std::to_string(site.bytes) +
         (site.bytes == 1 ? " byte" : " bytes");
}

std::string thread_text(const Block& block, std::uint32_t thread) {
  const Extents& extents = block.grid->threads;
  return text_of({thread % extents.x, thread / extents.x % extents.y, thread / extents.x / extents.y});
}

std::string position_text(const Routine& routine, const ptx::Position& position) {
  if (position.line == 0) return "a line that is not known (nvcc -lineinfo tells it)";
  return routine.file_of(position) + ':' + std::to_string(position.line);
}

Extents thread_index(const Warp& warp, int lane) {
  const Extents& extents = warp.block->grid->threads;
  const auto thread = static_cast<std::uint32_t>(warp.index * lanes + lane);
  return {thread % extents.x, thread / extents.x % extents.y, thread / extents.x / extents.y};
}

Fault fault(const Warp& warp, const Operation& operation, int lane, const std::string& what,
            Fault::Kind kind) {
  const Block& block = *warp.block;
  return Fault(readable_name(block.grid->kernel->name) + ": " + place_of(*warp.context.routine, operation) +
                   ": block " + text_of(block.index) + ", thread " + text_of(thread_index(warp, lane)) + ' ' +
                   what,
               kind);
}

Fault deadlock(const Block& block) {
  for (const Warp& warp : block.warps) {
    for (const Fragment& fragment : warp.fragments) {
      if (fragment.state == Fragment::State::runnable) continue;
      const Operation& waited =
          *(fragment.state == Fragment::State::at_barrier ? fragment.at - 1 : fragment.at);
      const Routine& routine = *fragment.context.routine;
      return Fault(readable_name(block.grid->kernel->name) + ": " + place_of(routine, waited) + ": block " +
                   text_of(block.index) + ": threads wait for others that never come (divergent barrier?)");
    }
  }
  return Fault(readable_name(block.grid->kernel->name) + ": block " + text_of(block.index) + " cannot go on");
}

}  // namespace weft::emulator
