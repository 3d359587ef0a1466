#include "emulator/execute/taint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "emulator/execute/block.hpp"
#include "emulator/execute/fault.hpp"
#include "emulator/memory/shared_history.hpp"
#include "emulator/memory/window.hpp"

namespace weft::emulator {
namespace {

constexpr std::uint32_t predicate_bytes = 4;  // a bit for each lane

bool is_predicate(Uses::Slot slot) { return slot.bytes == predicate_bytes; }

std::size_t bytes_of(Uses::Slot slot) { return is_predicate(slot) ? 1 : slot.bytes / std::size_t{lanes}; }

/// A byte of a lane's value; of a predicate, 0 or all ones.
std::uint8_t value_of(const Warp& warp, Uses::Slot slot, int lane, std::size_t byte) {
  const std::byte* const begin = warp.context.frame + slot.offset;
  if (!is_predicate(slot))
    return static_cast<std::uint8_t>(begin[static_cast<std::size_t>(lane) * bytes_of(slot) + byte]);
  return (warp.predicate(slot.offset) >> lane & 1U) != 0 ? 0xff : 0;
}

/// Where a lane's store goes in its block's shared memory, if it does.
std::optional<std::uint64_t> place_in_shared(const Warp& warp, const Operation& operation, const Site& site,
                                             Uses::Slot slot, int lane) {
  if (warp.history == nullptr || (site.space != ptx::Space::shared && site.space != ptx::Space::generic))
    return std::nullopt;
  std::uint64_t address =
      site.wide
          ? warp.values<std::uint64_t>(slot.offset)[lane] + operation.immediate
          : static_cast<std::uint32_t>(warp.values<std::uint32_t>(slot.offset)[lane] + operation.immediate);
  if (site.space == ptx::Space::generic) address -= shared_window();
  const auto bytes = static_cast<std::uint64_t>(site.bytes);
  const bool inside = bytes <= warp.shared_bytes && address <= warp.shared_bytes - bytes;
  return inside ? std::optional(address) : std::nullopt;
}

}  // namespace

std::uint32_t Taint::Register::any_lanes() const {
  std::uint32_t found = 0;
  for (const std::uint32_t byte : lanes) found |= byte;
  return found;
}

const Uses& Taint::uses_of(const Warp& warp, const Operation& operation) {
  const Routine& routine = *warp.context.routine;
  return routine.uses[static_cast<std::size_t>(&operation - routine.code.data())];
}

void Taint::add(const Warp& warp, Uses::Slot slot, const ByteLanes& lanes, Origin origin) {
  Register added{warp.context.frame + slot.offset, slot.bytes, {}, origin};
  std::copy_n(lanes.begin(), bytes_of(slot), added.lanes.begin());
  if (added.any_lanes() == 0) return;
  const auto same = [&](const Register& r) { return r.begin == added.begin && r.bytes == added.bytes; };
  const auto known = std::ranges::find_if(registers_, same);
  if (known == registers_.end()) {
    registers_.push_back(added);
  } else {
    std::ranges::transform(known->lanes, lanes, known->lanes.begin(), std::bit_or{});
    known->origin.gap = known->origin.gap && origin.gap;
  }
}

void Taint::remove(const std::byte* begin, std::uint32_t bytes, std::uint32_t lanes) {
  std::erase_if(registers_, [&](Register& r) {
    if (r.begin >= begin + bytes || begin >= r.begin + r.bytes) return false;
    const std::uint32_t kept = r.begin == begin && r.bytes == bytes ? ~lanes : 0;
    for (std::uint32_t& byte : r.lanes) byte &= kept;
    return r.any_lanes() == 0;
  });
}

const Taint::Register* Taint::find(const Warp& warp, Uses::Slot slot) const {
  const std::byte* const begin = warp.context.frame + slot.offset;
  const auto same = [&](const Register& r) {
    return r.begin == begin && r.bytes == slot.bytes && (r.any_lanes() & warp.active) != 0;
  };
  const auto known = std::ranges::find_if(registers_, same);
  return known == registers_.end() ? nullptr : &*known;
}

Taint::ByteLanes Taint::lanes_of(const Warp& warp, Uses::Slot slot) const {
  const Register* const found = find(warp, slot);
  return found != nullptr ? found->lanes : ByteLanes{};
}

void Taint::refuse(const Warp& warp, const Operation& operation, const Register& used) const {
  const Use use = uses_of(warp, operation).use;
  const std::string what = use == Use::decide ? "branches by"
                           : use == Use::load ? "takes for an address"
                                              : "stores";
  const Site& site = site_of(warp, *used.origin.load);
  throw fault(warp, operation, std::countr_zero(used.any_lanes() & warp.active),
              what + " what it read from memory that nothing had written, at " +
                  position_text(*warp.block->grid->kernel, site.position));
}

/// The operands' bytes, one after the other, are the results'.
std::vector<Taint::ByteLanes> Taint::moved(const Warp& warp, const Uses& uses) const {
  const std::size_t width = uses.moved_bytes;
  std::vector<std::uint32_t> bytes;
  for (const Uses::Slot operand : uses.operands) {
    const ByteLanes own = lanes_of(warp, operand);
    const std::size_t count =
        uses.results.size() > uses.operands.size() ? width * uses.results.size() : width;
    bytes.insert(bytes.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::vector<ByteLanes> results(uses.results.size());
  const std::size_t share = bytes.size() / results.size();
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (std::size_t byte = 0; byte < most_bytes; ++byte)
      results[i][byte] = bytes[i * share + std::min(byte, share - 1)];
  }
  return results;
}

Taint::ByteLanes Taint::shifted(const Warp& warp, const Uses& uses) const {
  constexpr std::uint32_t byte_bits = 8;
  const ByteLanes from = lanes_of(warp, uses.operands[0]);
  const std::size_t size = bytes_of(uses.operands[0]);
  ByteLanes result{};
  each_lane(warp.active, [&](int lane) {
    const std::uint32_t bits = warp.values<std::uint32_t>(uses.operands[1].offset)[lane];
    const std::size_t distance = std::min<std::size_t>(bits / byte_bits, size - 1);
    const bool across = bits % byte_bits != 0;
    for (std::size_t byte = 0; byte < size; ++byte) {
      const std::size_t low = std::min(byte + distance, size - 1);
      const std::uint32_t both = from[low] | (across ? from[std::min(low + 1, size - 1)] : 0);
      result[byte] |= both & 1U << lane;
    }
  });
  return result;
}

/// Where an operand is known and decides alone, the other does not matter.
Taint::ByteLanes Taint::combined(const Warp& warp, const Uses& uses) const {
  const std::uint8_t deciding = uses.use == Use::conjunction ? 0 : 0xff;
  const ByteLanes first = lanes_of(warp, uses.operands[0]);
  const ByteLanes second = lanes_of(warp, uses.operands[1]);
  ByteLanes result{};
  for (std::size_t byte = 0; byte < bytes_of(uses.operands[0]); ++byte) {
    const auto decides = [&](std::size_t operand, const ByteLanes& own, int lane) {
      return (own[byte] >> lane & 1U) == 0 && value_of(warp, uses.operands[operand], lane, byte) == deciding;
    };
    each_lane((first[byte] | second[byte]) & warp.active, [&](int lane) {
      if (!decides(0, first, lane) && !decides(1, second, lane)) result[byte] |= 1U << lane;
    });
  }
  return result;
}

Taint::ByteLanes Taint::chosen(const Warp& warp, const Uses& uses) const {
  const std::uint32_t takes_first = warp.predicate(uses.operands[2].offset);
  const ByteLanes first = lanes_of(warp, uses.operands[0]);
  const ByteLanes second = lanes_of(warp, uses.operands[1]);
  const std::uint32_t open = lanes_of(warp, uses.operands[2])[0];
  ByteLanes result{};
  for (std::size_t byte = 0; byte < most_bytes; ++byte)
    result[byte] = (first[byte] & takes_first) | (second[byte] & ~takes_first) | open;
  return result;
}

std::vector<Taint::ByteLanes> Taint::results_of(const Warp& warp, const Uses& uses) const {
  switch (uses.use) {
    case Use::move:
      return moved(warp, uses);
    case Use::shift_right:
      return {shifted(warp, uses)};
    case Use::conjunction:
    case Use::disjunction:
      return {combined(warp, uses)};
    case Use::choose:
      return {chosen(warp, uses)};
    default:
      break;
  }
  std::uint32_t all = 0;
  for (const Uses::Slot operand : uses.operands) {
    if (const Register* const tainted = find(warp, operand); tainted != nullptr) all |= tainted->any_lanes();
  }
  ByteLanes everywhere;
  everywhere.fill(all);
  return std::vector<ByteLanes>(uses.results.size(), everywhere);
}

/// After a store: what was never written is not written in shared memory, either.
void Taint::spread(const Warp& warp, const Operation& operation) const {
  const Uses& uses = uses_of(warp, operation);
  const Site& site = site_of(warp, operation);
  const std::size_t width = static_cast<std::size_t>(site.bytes) / (uses.operands.size() - 1);
  for (std::size_t i = 0; i + 1 < uses.operands.size(); ++i) {
    const Register* const value = find(warp, uses.operands[i]);
    if (value == nullptr || value->origin.gap) continue;
    each_lane(value->any_lanes() & warp.active, [&](int lane) {
      const auto place = place_in_shared(warp, operation, site, uses.operands.back(), lane);
      for (std::size_t byte = 0; place && byte < width; ++byte) {
        if ((value->lanes[byte] >> lane & 1U) != 0) warp.history->forget(*place + i * width + byte);
      }
    });
  }
}

bool Taint::stays_in_shared(const Warp& warp, const Operation& operation, const Register& stored) {
  const Site& site = site_of(warp, operation);
  bool stays = true;
  each_lane(stored.any_lanes() & warp.active, [&](int lane) {
    stays = stays && place_in_shared(warp, operation, site, uses_of(warp, operation).operands.back(), lane);
  });
  return stays;
}

/// Finds out, before an operation runs, what it will make of tainted operands.
void Taint::step(Warp& warp, const Operation& operation) {
  const Uses& uses = uses_of(warp, operation);
  Origin origin;
  for (std::size_t i = 0; i < uses.operands.size(); ++i) {
    const Register* const tainted = find(warp, uses.operands[i]);
    if (tainted == nullptr) continue;
    const bool is_stored = uses.use == Use::store && i + 1 < uses.operands.size();
    const bool computes = uses.use < Use::decide;
    if (!computes && !(is_stored && (tainted->origin.gap || stays_in_shared(warp, operation, *tainted))))
      refuse(warp, operation, *tainted);
    origin = tainted->origin;
  }
  std::vector<ByteLanes> tainted;
  if (origin.load != nullptr) tainted = results_of(warp, uses);
  for (const Uses::Slot result : uses.results)
    remove(warp.context.frame + result.offset, result.bytes, warp.active);
  for (std::size_t i = 0; i < std::min(tainted.size(), uses.results.size()); ++i) {
    for (std::uint32_t& byte : tainted[i]) byte &= warp.active;
    add(warp, uses.results[i], tainted[i], origin);
  }
}

const Operation* Taint::follow(Warp& warp, const Operation* operation) {
  if (following_) return operation;
  following_ = true;
  while (operation != nullptr && any()) {
    step(warp, *operation);
    const bool stores = uses_of(warp, *operation).use == Use::store;  // a call goes on in another routine
    const Operation* const next = operation->run(warp, *operation);
    if (stores) spread(warp, *operation);
    operation = next;
  }
  following_ = false;
  return operation;
}

}  // namespace weft::emulator
