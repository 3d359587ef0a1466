#pragma once

/// @file
/// Counting what one memory instruction costs, each time that a warp executes it.
///
/// The rules are code/model's. Applying them takes hundreds of nanoseconds, so they are applied once per
/// pattern: what counts is how the lanes' addresses lie to each other, and where the first lies in its
/// sector. A warp that comes with the same pattern as the one before pays for a comparison, one that comes
/// with an earlier pattern for looking it up.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "emulator/doubt.hpp"
#include "emulator/memory/written_bytes.hpp"
#include "emulator/ptx/module.hpp"
#include "model/l1.hpp"

namespace weft::emulator {

/// What is counted of an instruction, and by which rule.
enum class Counting : std::uint8_t {
  nothing,
  global_load,
  global_copy,  ///< cp.async.cg, which goes past the L1 cache; a load, but for its sectors
  global_store,
  global_reduction,  ///< an atomic whose result is not used
  global_atomic,
  shared_load,
  shared_matrix_store,
  shared_matrix,  ///< ldmatrix: 8 rows of 16 bytes at a time
  shared_store,
  shared_atomic,
  shared_compare,    ///< atom.cas: twice as many wavefronts
  shared_increment,  ///< atom.add of 1 without a result: the lanes at an address are counted first
  shared_swap,       ///< the compare-and-swap in the loop that carries out an atomic
};

/// Whether a rule's accesses are looked up in the L1's tags: loads and stores in global memory.
constexpr bool looks_up_tags(Counting counting) {
  return counting == Counting::global_load || counting == Counting::global_copy ||
         counting == Counting::global_store;
}

/// A memory instruction of a routine.
struct Site {
  Counting counting = Counting::nothing;
  int bytes = 0;  ///< that a lane accesses
  bool write = false;
  bool wide = false;  ///< addresses of 8 bytes, not 4
  ptx::Space space = ptx::Space::global;
  bool updates = false;  ///< reads and writes: an atomic
  bool strong = false;   ///< atomic, volatile or with an order: such accesses do not race with each other
  ptx::Position position{};

  // What the machine code makes of it, if that is something else:
  int machine_bytes = 0;   ///< that a lane accesses; 0: as above
  int machine_offset = 0;  ///< of its address, in bytes
  bool once_per_width =
      false;              ///< only the turn of a loop whose address is a multiple of machine_bytes accesses
  bool one_lane = false;  ///< one lane accesses for all active ones
  bool tallied = false;   ///< another site counts the instruction, this one its wavefronts
  std::optional<Doubt> doubt = Doubt::machine_code;  ///< what is to be doubted of it, if it is executed
  /// One more than the index of the site that counts the warps that come to its guard, if it is not known
  /// whether the machine code has that guard, too: then it matters whether that leaves some without lanes.
  std::uint32_t guard_site = 0;
};

/// The tag wavefronts of a pattern's last accesses, by what they depend on. Within a block of memory whose
/// size is a power of two, the block's own address changes all banks alike, and so do the bits of an address
/// in which the lanes agree; of a block's edge within the access, the bits that are carried across it count.
struct TagMemory {
  static constexpr std::size_t places = 4;
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

  std::uint8_t block_bits = 0;   ///< of the least block that may hold the access
  std::uint8_t common_bits = 0;  ///< low ones that are the same in all lanes' addresses
  std::uint8_t place_shift = 0;  ///< low ones of `place` that do not choose where it is kept
  std::array<std::uint64_t, places> place{};
  std::array<std::array<std::uint8_t, model::tag_banks>, places>
      wavefronts{};  ///< by the carry's bank; 0: unknown
};

/// How the addresses of a warp's lanes lie to each other.
struct alignas(64) Pattern {
  std::uint64_t lowest = 0,
                highest = 0;       ///< first byte, and past the last one, from the first lane's address
  std::uint64_t misaligned = 0;    ///< bits of the distances that alignment forbids
  std::uint32_t active = 0;        ///< lanes of the pattern; 0 before the first
  bool contiguous = false;         ///< all 32 lanes, each right behind the one before
  std::uint32_t first_lanes = 0;   ///< one lane for each address; found when the checker first asks
  std::uint32_t common_lanes = 0;  ///< those of them whose address other lanes have, too
  std::uint32_t hash = 0;          ///< of the distances
  bool ascending = false;          ///< all 32 lanes, none below the one before
  TagMemory tags;

  static constexpr std::uint8_t unknown = 0xff;
  std::array<std::uint8_t, 32> units_at{};  ///< by the first lane's address in its sector
  std::array<std::uint8_t, 32> data_at{};   ///< the L1's data wavefronts, where the units are known

  /// Distances of all lanes' addresses to the first active lane's, 0 for the others; 32-bit ones fill the
  /// first half.
  alignas(64) std::array<std::byte, 256> distances{};

  template <class Address>
  [[nodiscard]] const Address* distances_as() const {
    return reinterpret_cast<const Address*>(distances.data());
  }
};

/// A site's patterns but for its first, each in the set that its hash says.
using Patterns = std::array<std::array<Pattern, 4>, 32>;

/// One worker's view of a site: its sums, and its patterns.
struct Access {
  Pattern* pattern = &first;  ///< that it saw last
  std::uint64_t requests = 0;
  std::uint64_t units = 0;           ///< sectors or wavefronts
  std::uint64_t tags = 0, data = 0;  ///< the L1's wavefronts, in global memory

  std::uint64_t begin = 0,
                end = 0;  ///< within, nothing needs to be looked at: a part of the allocation hit last
  std::uint64_t memory_begin = 0, memory_end = 0;  ///< that allocation
  WrittenBytes* written = nullptr;                 ///< which of its bytes are written, if that matters

  bool strong = false;       ///< the site's
  bool beyond_rule = false;  ///< it saw a pattern for which the rule has exceptions
  Pattern first;
  std::unique_ptr<Patterns> others;               ///< made when the second one comes
  std::array<std::uint64_t, 32> warps_were_at{};  ///< by warp: where its first active lane was last
};

/// Makes a warp's addresses the pattern of a site.
/// @param addresses of 32 lanes; those of inactive lanes are not looked at
/// @param active at least one lane
void learn(Access& access, const Site& site, const std::uint32_t* addresses, std::uint32_t active);
void learn(Access& access, const Site& site, const std::uint64_t* addresses, std::uint32_t active);

/// The distance of a lane's address to the first active lane's, in bytes.
inline std::uint64_t distance_of(const Pattern& pattern, const Site& site, int lane) {
  if (site.wide) return pattern.distances_as<std::uint64_t>()[lane];
  const auto distance = static_cast<std::int32_t>(pattern.distances_as<std::uint32_t>()[lane]);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(distance));
}

/// Sets `first_lanes` and `common_lanes`.
void find_first_lanes(Pattern& pattern, const Site& site);

/// Applies the rule to the pattern, with the first active lane at `first`, and remembers the result.
/// @return sectors or wavefronts
std::uint8_t count_units(Pattern& pattern, const Site& site, std::uint64_t first);

/// Whether recordings know an exception of the rule for such patterns: some lanes of an atomic share an
/// address, and the addresses lie in many lines.
bool is_beyond_rule(Pattern& pattern, const Site& site, std::uint64_t first);

/// The bank of the line whose number is that many ones.
extern const std::array<std::uint8_t, 65> banks_of_ones;

/// Applies the law of the L1 to the pattern, and remembers the result in one of its tag memory's bytes.
std::uint8_t learn_tags(const Pattern& pattern, std::uint8_t& wavefronts, std::uint64_t first);

/// Tag wavefronts of a load or store in global memory, whose addresses have 8 bytes, with the first active
/// lane at `first`.
inline std::uint8_t count_tags(Pattern& pattern, std::uint64_t first) {
  constexpr int line_bits = 7;
  const std::uint64_t begin = first + pattern.lowest;
  const std::uint64_t differ = begin ^ (first + pattern.highest - 1);
  if (differ >> line_bits == 0) return 1;
  TagMemory& tags = pattern.tags;
  const std::uint64_t block = begin >> tags.block_bits;
  const std::uint64_t place = (begin ^ block << tags.block_bits) >> tags.common_bits;
  int carry = 0;
  if (differ >> tags.block_bits != 0) {
    const int low = tags.block_bits - line_bits;
    const auto carried = static_cast<std::size_t>(std::min(low + std::countr_one(block) + 1, 64));
    carry = banks_of_ones[carried] ^ banks_of_ones[static_cast<std::size_t>(low)];
  }
  const std::size_t slot = place >> tags.place_shift & (TagMemory::places - 1);
  if (tags.place[slot] != place) {
    tags.place[slot] = place;
    tags.wavefronts[slot] = {};
  }
  std::uint8_t& wavefronts = tags.wavefronts[slot][static_cast<std::size_t>(carry)];
  return wavefronts != 0 ? wavefronts : learn_tags(pattern, wavefronts, first);
}

}  // namespace weft::emulator
