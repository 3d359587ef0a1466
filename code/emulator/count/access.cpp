#include "emulator/count/access.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <set>

#include "emulator/count/shared_atomic.hpp"
#include "model/access.hpp"
#include "model/l1.hpp"
#include "model/shared.hpp"

namespace weft::emulator {
namespace {

/// The distances of a warp's addresses to the first active lane's, and a hash of them.
template <class Address>
struct Distances {
  Distances(const Address* addresses, std::uint32_t active) {
    const Address first = addresses[std::countr_zero(active)];
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const Address mask = Address{0} - (active >> lane & 1U);
      of[lane] = (addresses[lane] - first) & mask;
      sum += static_cast<std::uint32_t>(of[lane]) * (2 * lane + 0x9e3779b1U);
    }
    sum += active * 0x85ebca6bU;
  }

  [[nodiscard]] std::uint32_t hash() const { return (sum ^ sum >> 15) * 0x2c1b3c6dU; }

  alignas(64) std::array<Address, 32> of{};
  std::uint32_t sum = 0;
};

/// Where the site keeps the pattern with a hash, or may keep it: in place of another, if its set is full.
Pattern& place_of(Access& access, std::uint32_t hash) {
  if (access.first.active == 0 || access.first.hash == hash) return access.first;
  if (!access.others) access.others = std::make_unique<Patterns>();
  auto& set = (*access.others)[hash >> 27];
  for (Pattern& pattern : set) {
    if (pattern.active == 0 || pattern.hash == hash) return pattern;
  }
  return set[hash >> 25 & 3];
}

/// @param bytes from the first to the last that are accessed
/// @param differing bits that are set in one of the distances
TagMemory tag_memory(std::uint64_t bytes, std::uint64_t differing) {
  constexpr int line_bits = 7;
  TagMemory tags;
  tags.block_bits = static_cast<std::uint8_t>(std::max<int>(line_bits, std::bit_width(bytes - 1)));
  tags.common_bits = static_cast<std::uint8_t>(std::min<int>(tags.block_bits, std::countr_zero(differing)));
  tags.place_shift = static_cast<std::uint8_t>(std::max(line_bits - tags.common_bits, 0));
  tags.place.fill(TagMemory::nowhere);
  return tags;
}

template <class Address>
void learn_distances(Access& access, const Site& site, const Address* addresses, std::uint32_t active) {
  using Signed = std::make_signed_t<Address>;
  access.strong = site.strong;
  const Distances<Address> distances(addresses, active);
  Pattern& pattern = place_of(access, distances.hash());
  access.pattern = &pattern;
  if (pattern.active == active &&
      std::memcmp(pattern.distances.data(), distances.of.data(), sizeof distances.of) == 0) {
    return;
  }
  std::memcpy(pattern.distances.data(), distances.of.data(), sizeof distances.of);
  Signed lowest = 0;
  Signed highest = 0;
  Address bits = 0;
  bool contiguous = active == ~0U;
  bool ascending = active == ~0U;
  Signed before = 0;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const Address distance = distances.of[lane];
    ascending = ascending && static_cast<Signed>(distance) >= before;
    before = static_cast<Signed>(distance);
    lowest = std::min(lowest, static_cast<Signed>(distance));
    highest = std::max(highest, static_cast<Signed>(distance));
    bits |= distance;
    contiguous = contiguous && distance == static_cast<Address>(lane) * static_cast<Address>(site.bytes);
  }
  pattern.lowest = static_cast<std::uint64_t>(static_cast<std::int64_t>(lowest));
  pattern.highest = static_cast<std::uint64_t>(static_cast<std::int64_t>(highest) + site.bytes);
  pattern.misaligned = bits & static_cast<Address>(site.bytes - 1);
  pattern.active = active;
  pattern.contiguous = contiguous;
  pattern.ascending = ascending;
  pattern.tags = tag_memory(pattern.highest - pattern.lowest, bits);
  pattern.first_lanes = pattern.common_lanes = 0;
  pattern.hash = distances.hash();
  pattern.units_at.fill(Pattern::unknown);
}

/// Each lane looks up its distance in a table with twice as many places as there are lanes.
template <class Address>
void find_first(Pattern& pattern) {
  constexpr std::uint32_t places = 64;
  std::array<std::uint8_t, places> lane_behind{};  // of the lane with the distance, or 0
  const auto* const distances = pattern.distances_as<Address>();
  pattern.first_lanes = 0;
  pattern.common_lanes = 0;
  for (std::uint32_t rest = pattern.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint32_t place = static_cast<std::uint32_t>(distances[lane]) * 0x9e3779b1U >> 26;
    while (lane_behind[place] != 0 && distances[lane_behind[place] - 1] != distances[lane])
      place = (place + 1) % places;
    if (lane_behind[place] == 0) {
      lane_behind[place] = static_cast<std::uint8_t>(lane + 1);
      pattern.first_lanes |= 1U << lane;
    } else {
      pattern.common_lanes |= 1U << (lane_behind[place] - 1);
    }
  }
}

// [rules]
int apply(Counting rule, const model::Lanes& lanes) {
  switch (rule) {
    case Counting::global_load:
    case Counting::global_store:
      return model::sectors(lanes);
    case Counting::global_copy:
      return model::bypassing_copy_sectors(lanes);
    case Counting::global_reduction:
    case Counting::global_atomic:
      return model::reduction_sectors(lanes);
    case Counting::shared_load:
      return model::shared_load_wavefronts(lanes);
    case Counting::shared_matrix_store:
    case Counting::shared_matrix:  // phases of 8 rows, which never merge
    case Counting::shared_store:
      return model::shared_store_wavefronts(lanes);
    case Counting::shared_atomic:
      return native_atomic_wavefronts(lanes);
    case Counting::shared_compare:
      return 2 * native_atomic_wavefronts(lanes);
    case Counting::shared_increment:
      return model::shared_load_wavefronts(lanes);
    case Counting::shared_swap:
      return shared_swap_wavefronts(lanes);
    case Counting::nothing:
      return 0;
  }
  return 0;
}
// [rules]

/// Data wavefronts, if every load finds its lines in the L1; the least of a store.
int apply_to_data(Counting rule, const model::Lanes& lanes) {
  const bool modelled = rule == Counting::global_load || rule == Counting::global_store;
  return modelled ? model::data_wavefronts(lanes) : 0;
}

/// Tag banks by one half of the bits that choose them.
constexpr int half_bits = model::tag_bank_bits / 2;
constexpr std::uint64_t half_mask = (std::uint64_t{1} << half_bits) - 1;
constexpr auto banks_of_half = [](int shift) {
  std::array<std::uint8_t, half_mask + 1> banks{};
  for (std::size_t half = 0; half < banks.size(); ++half)
    banks[half] = static_cast<std::uint8_t>(model::tag_bank_of(static_cast<std::int64_t>(half << shift)));
  return banks;
};
constexpr auto low_banks = banks_of_half(0);
constexpr auto high_banks = banks_of_half(half_bits);

/// Tag wavefronts of a full warp whose lanes' addresses ascend: equal lines lie side by side.
int ascending_tags(const Pattern& pattern, std::uint64_t first) {
  const auto* const distances = pattern.distances_as<std::uint64_t>();
  std::uint32_t counts = 0;  // a byte for each bank
  std::uint64_t before = ~std::uint64_t{0};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t line = (first + distances[lane]) / model::line_bytes;
    const auto is_new = static_cast<std::uint32_t>(line != before);
    const int bank = low_banks[line & half_mask] ^ high_banks[line >> half_bits & half_mask];
    counts += is_new << (8 * bank);
    before = line;
  }
  return static_cast<int>(std::max({counts & 0xff, counts >> 8 & 0xff, counts >> 16 & 0xff, counts >> 24}));
}

}  // namespace

void learn(Access& access, const Site& site, const std::uint32_t* addresses, std::uint32_t active) {
  learn_distances(access, site, addresses, active);
}

void learn(Access& access, const Site& site, const std::uint64_t* addresses, std::uint32_t active) {
  learn_distances(access, site, addresses, active);
}

void find_first_lanes(Pattern& pattern, const Site& site) {
  if (site.wide) {
    find_first<std::uint64_t>(pattern);
  } else {
    find_first<std::uint32_t>(pattern);
  }
}

bool is_beyond_rule(Pattern& pattern, const Site& site, std::uint64_t first) {
  if (site.counting != Counting::global_reduction && site.counting != Counting::global_atomic) return false;
  if (site.one_lane) return false;
  find_first_lanes(pattern, site);
  if (pattern.common_lanes == 0) return false;
  constexpr std::size_t most_lines = 4;  // for which the rule has been right
  std::set<std::uint64_t> lines;
  for (std::uint32_t rest = pattern.active; rest != 0; rest &= rest - 1)
    lines.insert((first + distance_of(pattern, site, std::countr_zero(rest))) / model::line_bytes);
  return lines.size() > most_lines;
}

// [addresses]
std::uint8_t count_units(Pattern& pattern, const Site& site, std::uint64_t first) {
  const auto phase = static_cast<std::int64_t>(first % model::line_bytes);
  const int bytes = site.machine_bytes != 0 ? site.machine_bytes : site.bytes;
  const std::int64_t start = phase + site.machine_offset;
  const std::uint32_t active = site.one_lane ? pattern.active & (0U - pattern.active) : pattern.active;
  const model::Lanes lanes(bytes, [&](int lane) -> model::Element {
    if ((active >> lane & 1U) == 0) return {};
    return (start + static_cast<std::int64_t>(distance_of(pattern, site, lane))) / bytes;
  });
  const bool in_an_earlier_turn = site.once_per_width && start % bytes != 0;
  const auto units = static_cast<std::uint8_t>(in_an_earlier_turn ? 0 : apply(site.counting, lanes));
  pattern.units_at[first % model::sector_bytes] = units;
  pattern.data_at[first % model::sector_bytes] =
      static_cast<std::uint8_t>(in_an_earlier_turn ? 0 : apply_to_data(site.counting, lanes));
  return units;
}
// [addresses]

const std::array<std::uint8_t, 65> banks_of_ones = [] {
  std::array<std::uint8_t, 65> banks{};
  for (std::size_t ones = 1; ones < banks.size(); ++ones) {
    const std::uint64_t line = ~std::uint64_t{0} >> (64 - ones);
    banks[ones] = static_cast<std::uint8_t>(model::tag_bank_of(static_cast<std::int64_t>(line)));
  }
  return banks;
}();

std::uint8_t learn_tags(const Pattern& pattern, std::uint8_t& wavefronts, std::uint64_t first) {
  if (pattern.ascending) {
    return wavefronts = static_cast<std::uint8_t>(ascending_tags(pattern, first));
  }
  const auto* const distances = pattern.distances_as<std::uint64_t>();
  const model::Lanes first_bytes(1, [&](int lane) -> model::Element {
    if ((pattern.active >> lane & 1U) == 0) return {};
    return static_cast<std::int64_t>(first + distances[lane]);
  });
  return wavefronts = static_cast<std::uint8_t>(model::tag_wavefronts(first_bytes));
}

}  // namespace weft::emulator
