#pragma once

/// @file
/// What ptxas 13.0 does with neighbouring accesses to shared memory, found by trying it on many small
/// kernels.
///
/// Loads: between two stores or barriers, in any order. Of four neighbouring elements of 2 or 4 bytes, or two
/// of 8, at a place that is known to be a multiple of their bytes, three or more are loaded at once; two if
/// they are the first or the last two. Stores: while no load or other store comes between them, and all bytes
/// must be there. Single bytes are never joined, and global accesses neither: what a pointer points to may
/// lie anywhere.

#include <vector>

#include "emulator/ptxas/accesses.hpp"

namespace weft::emulator {

/// Accesses that the machine code makes as one.
struct Joined {
  std::vector<const PtxAccess*> members;  ///< in the order of the code
  int bytes = 0;
  std::int64_t start = 0;  ///< from the members' root
  bool turns = false;      ///< of several turns of a loop that is unrolled
};

/// Joins a function's accesses.
/// @param across_turns whether loops are unrolled so that accesses of several turns become neighbours
std::vector<Joined> join_neighbours(const std::vector<PtxAccess>& accesses, const AddressForms& forms,
                                    bool across_turns);

}  // namespace weft::emulator
