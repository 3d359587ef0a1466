#include "emulator/memory/shared_history.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace weft::emulator {

SharedHistory::SharedHistory(std::uint64_t bytes, std::uint32_t piece_bytes, std::size_t warps)
    : shift(static_cast<std::uint32_t>(std::countr_zero(piece_bytes))),
      pieces((bytes + piece_bytes - 1) / piece_bytes),
      views_(warps) {
  reads = std::make_unique<Trace[]>(pieces);
  writes = std::make_unique<Trace[]>(pieces);
  written.resize((pieces + 63) / 64);
}

void SharedHistory::start(std::uint64_t provided_from, std::uint64_t provided_to) {
  if (time > std::numeric_limits<std::uint32_t>::max() / 2) {  // long before it overflows, it starts anew
    std::fill_n(reads.get(), pieces, Trace{});
    std::fill_n(writes.get(), pieces, Trace{});
    time = 0;
  }
  std::ranges::fill(written, 0);
  if (provided_from < provided_to) mark_written(provided_from >> shift, provided_to >> shift);
  base_ = time++;
  last_read = last_write = 0;
  common_begin = common_end = 0;
  partial_ = false;
  std::ranges::fill(views_, View{});
  arrivals_ = {};
}

void SharedHistory::warp_met(std::uint32_t warp) { views_[warp].limits.own = time++; }

void SharedHistory::learned(std::uint32_t warp) {
  views_[warp].limits = {time, time};
  ++time;
}

void SharedHistory::arrived(std::uint32_t barrier, std::uint32_t warp) { arrivals_[barrier][warp] = time++; }

void SharedHistory::opened(std::uint32_t barrier, std::uint32_t waiting, bool all) {
  if (all) {
    base_ = time;
  } else {
    partial_ = true;
    const auto& arrivals = arrivals_[barrier];
    const std::vector<View> before = views_;
    for (std::uint32_t warp = 0; warp < views_.size(); ++warp) {
      if ((waiting >> warp & 1U) == 0) continue;
      View& view = views_[warp];
      for (std::uint32_t other = 0; other < views_.size(); ++other) {
        if (arrivals[other] == 0) continue;
        for (std::size_t i = 0; i < view.seen.size(); ++i) {  // what that one has seen, this one has, too
          view.seen[i] = std::max({view.seen[i], before[other].seen[i], before[other].limits.others});
        }
        view.seen[other] = std::max(view.seen[other], arrivals[other]);
      }
      view.limits.own = std::max(view.limits.own, arrivals[warp]);
    }
  }
  arrivals_[barrier] = {};
  ++time;
}

bool SharedHistory::ordered(Trace before, Trace mine) const {
  if (before.thread() == mine.thread() || before.time() <= base_) return true;
  const View& view = views_[mine.warp()];
  if (before.warp() == mine.warp()) return before.time() <= view.limits.own;
  return before.time() <= std::max(view.limits.others, view.seen[before.warp()]);
}

bool SharedHistory::read_by_other(Trace read, Trace mine) const {
  const Limits limits = this->limits(mine.warp());
  if (!suspicious_read(read, mine, limits)) return false;
  if (read.thread() != mine.thread()) return !ordered(read, mine);
  // Others read it before the same thread did. Which ones is not known, and some warps may be ordered by now.
  return !partial_ || ((read.bits & Trace::several_lanes_bit) != 0 && read.time() > limits.own);
}

std::optional<SharedHistory::Conflict> SharedHistory::conflict(Trace mine, std::uint64_t address,
                                                               std::uint64_t bytes, Touch touch) const {
  const Limits limits = this->limits(mine.warp());
  for (std::uint64_t piece = address >> shift; piece << shift < address + bytes; ++piece) {
    if (touch != Touch::write && !was_written(piece)) return Conflict{Conflict::Kind::unwritten, {}};
    if (touch == Touch::synchronize) continue;
    if (suspicious_write(writes[piece], mine, limits) && !ordered(writes[piece], mine)) {
      return Conflict{Conflict::Kind::written_by_other, writes[piece]};
    }
    if (touch != Touch::read && read_by_other(reads[piece], mine)) {
      return Conflict{Conflict::Kind::read_by_other, reads[piece]};
    }
  }
  return std::nullopt;
}

void SharedHistory::note(Trace mine, std::uint64_t address, std::uint64_t bytes, Touch touch) {
  if (touch == Touch::synchronize) return;
  const Limits limits = this->limits(mine.warp());
  for (std::uint64_t piece = address >> shift; piece << shift < address + bytes; ++piece) {
    if (touch != Touch::read) writes[piece] = mine;
    if (touch != Touch::write) reads[piece] = merged_read(reads[piece], mine, limits);
  }
  if (touch != Touch::write) last_read = time;
  if (touch == Touch::read) return;
  last_write = time;
  mark_written(address >> shift, ((address + bytes - 1) >> shift) + 1);
}

}  // namespace weft::emulator
