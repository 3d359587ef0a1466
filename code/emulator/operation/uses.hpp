#pragma once

/// @file
/// What the checker is told of an operation: what it does with its operands, and where they lie.

#include <cstdint>
#include <vector>

namespace weft::emulator {

/// What an operation does with its operands.
enum class Use : std::uint8_t {
  compute,      ///< the results come from them
  move,         ///< the results' bytes are theirs, one after the other
  shift_right,  ///< the result's bits are the first one's, moved down by the second
  conjunction,  ///< a bit is 0 where one of them is 0
  disjunction,  ///< a bit is 1 where one of them is 1
  choose,       ///< the result is the first or the second, by the third
  decide,       ///< where to go on, or for which lanes, depends on them
  load,         ///< they are an address
  store,        ///< they go to memory; the last one is the address
  update,       ///< they are an address, and what memory is changed with
};

/// The slots of an operation.
struct Uses {
  struct Slot {
    std::uint32_t offset;
    std::uint32_t bytes;  ///< of all lanes
  };
  Use use = Use::compute;
  std::uint8_t moved_bytes = 0;  ///< of a move: of each slot; what a result has beyond is zeros or the sign
  std::vector<Slot> results, operands;
};

}  // namespace weft::emulator
