#include "emulator/sketch/frame.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "emulator/sketch/flow.hpp"

namespace weft::emulator {
namespace {

/// A set of virtual slots.
class SlotSet {
 public:
  explicit SlotSet(std::size_t size) : words_((size + 63) / 64) {}

  void insert(std::uint32_t slot) { words_[slot / 64] |= std::uint64_t{1} << slot % 64; }
  void erase(std::uint32_t slot) { words_[slot / 64] &= ~(std::uint64_t{1} << slot % 64); }
  [[nodiscard]] bool contains(std::uint32_t slot) const { return (words_[slot / 64] >> slot % 64 & 1) != 0; }

  /// @return whether there was anything new
  bool insert_all(const SlotSet& other) {
    bool grew = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      grew = grew || (other.words_[i] & ~words_[i]) != 0;
      words_[i] |= other.words_[i];
    }
    return grew;
  }

  void each(auto visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        visit(static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// From the first to the last place where a slot's value counts. A draft reads at twice its index and writes
/// one later.
struct Interval {
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t last = 0;
  std::uint32_t slot = 0;

  void extend(std::uint32_t to) {
    first = std::min(first, to);
    last = std::max(last, to);
  }
};

/// The slots that are needed at each block's start. Each lane goes its own way through the blocks and keeps
/// its own values, so that masks need no thought here.
std::vector<SlotSet> live_at_start(const Sketch& sketch, const std::vector<BasicBlock>& blocks) {
  std::vector<SlotSet> live(blocks.size(), SlotSet(sketch.slots.size()));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      SlotSet now(sketch.slots.size());
      for (const std::uint32_t successor : blocks[b].successors) now.insert_all(live[successor]);
      for (std::uint32_t i = blocks[b].last; i-- > blocks[b].first;) {
        for (const std::uint32_t slot : sketch.drafts[i].results) now.erase(slot);
        for (const std::uint32_t slot : sketch.drafts[i].operands) now.insert(slot);
      }
      changed = live[b].insert_all(now) || changed;
    }
  }
  return live;
}

std::vector<Interval> intervals(const Sketch& sketch) {
  const std::vector<BasicBlock> blocks = basic_blocks(sketch);
  const std::vector<SlotSet> live = live_at_start(sketch, blocks);
  std::vector<Interval> found(sketch.slots.size());
  for (std::uint32_t slot = 0; slot < found.size(); ++slot) found[slot].slot = slot;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    live[b].each([&](std::uint32_t slot) { found[slot].extend(2 * blocks[b].first); });
    for (const std::uint32_t successor : blocks[b].successors) {
      live[successor].each([&](std::uint32_t slot) { found[slot].extend(2 * blocks[b].last); });
    }
    for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      for (const std::uint32_t slot : sketch.drafts[i].operands) found[slot].extend(2 * i);
      for (const std::uint32_t slot : sketch.drafts[i].results) found[slot].extend(2 * i + 1);
    }
  }
  return found;
}

/// Places of one size: those that are free, and those that will be.
struct Pool {
  std::uint32_t bytes;
  std::vector<std::uint32_t> unused;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> taken;  ///< (until, offset)

  void give_back(std::uint32_t before) {
    std::erase_if(taken, [&](const auto& place) {
      if (place.first >= before) return false;
      unused.push_back(place.second);
      return true;
    });
  }
};

constexpr std::uint32_t word_bytes = 4;

std::uint32_t place_bytes(const VirtualSlot& slot) {
  return slot.predicate ? word_bytes : static_cast<std::uint32_t>(slot.bytes) * 32;
}

}  // namespace

FrameLayout lay_out_frame(const Sketch& sketch) {
  FrameLayout layout;
  layout.offsets.resize(sketch.slots.size());

  // Predicates first, all with places of their own: they are small.
  for (std::uint32_t slot = 0; slot < sketch.slots.size(); ++slot) {
    if (!sketch.slots[slot].predicate) continue;
    layout.offsets[slot] = layout.bytes;
    layout.bytes += word_bytes;
  }
  constexpr std::uint32_t cache_line = 64;
  layout.bytes = (layout.bytes + cache_line - 1) / cache_line * cache_line;
  const auto append = [&](std::uint32_t bytes) {
    layout.bytes += bytes;
    return layout.bytes - bytes;
  };

  std::array<Pool, 3> pools{Pool{4 * 32, {}, {}}, Pool{8 * 32, {}, {}}, Pool{16 * 32, {}, {}}};
  std::vector<Interval> order = intervals(sketch);
  std::ranges::sort(order, {}, [](const Interval& i) { return std::pair(i.first, i.slot); });
  for (const Interval& interval : order) {
    const VirtualSlot& slot = sketch.slots[interval.slot];
    if (slot.predicate) continue;
    const std::uint32_t bytes = place_bytes(slot);
    if (slot.fixed) {
      layout.offsets[interval.slot] = append(bytes);
      continue;
    }
    if (interval.first > interval.last) continue;  // never used
    Pool& pool = *std::ranges::find(pools, bytes, &Pool::bytes);
    pool.give_back(interval.first);
    std::uint32_t offset = 0;
    if (pool.unused.empty()) {
      offset = append(bytes);
    } else {
      offset = pool.unused.back();
      pool.unused.pop_back();
    }
    pool.taken.emplace_back(interval.last, offset);
    layout.offsets[interval.slot] = offset;
  }
  return layout;
}

}  // namespace weft::emulator
