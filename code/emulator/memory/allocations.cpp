#include "emulator/memory/allocations.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "emulator/checking.hpp"
#include "emulator/names.hpp"

namespace weft::emulator {
namespace {

constexpr std::uint64_t host_page_bytes = 4096;

/// Bytes before and behind an allocation: an index that is off by some thousands still hits nothing else.
constexpr std::uint64_t guard_bytes = std::uint64_t{16} << 10;

/// Where allocations lie, one behind the other, if the host has nothing there: the tag banks of their lines
/// are then the same in every run.
std::atomic<std::uint64_t> next_room = std::uint64_t{1} << 45;

/// What an allocation is aligned to.
std::uint64_t alignment_of(std::uint64_t bytes) {
  constexpr std::uint64_t least = std::uint64_t{2} << 20;
  return std::max(least, std::bit_ceil(bytes));
}

/// Memory of which the byte behind a number of others is aligned; nullptr if there is no room.
void* map_aligned(std::uint64_t bytes, std::uint64_t before, std::uint64_t alignment) {
  const std::uint64_t wanted = bytes + alignment;
  const std::uint64_t pages = (wanted + host_page_bytes - 1) / host_page_bytes;
  void* const wish = reinterpret_cast<void*>(next_room.fetch_add(pages * host_page_bytes));
  void* const room =
      mmap(wish, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  auto* const start = static_cast<std::byte*>(room);
  const std::uint64_t too_far = (reinterpret_cast<std::uint64_t>(room) + before) % alignment;
  const std::uint64_t skipped = (alignment - too_far) % alignment;
  const std::uint64_t kept = (bytes + host_page_bytes - 1) / host_page_bytes * host_page_bytes;
  if (skipped != 0) munmap(start, skipped);
  if (skipped + kept < bytes + alignment) munmap(start + skipped + kept, bytes + alignment - skipped - kept);
  return start + skipped;
}

}  // namespace

Allocations::~Allocations() {
  while (!owned_.empty()) forget(owned_.begin());
}

void* Allocations::allocate(std::uint64_t bytes, Allocation::Kind kind, const std::string& name) {
  if (bytes > (std::uint64_t{1} << 46)) return nullptr;
  const std::uint64_t mapped_bytes = bytes + 2 * guard_bytes;
  void* const mapping = map_aligned(mapped_bytes, guard_bytes, alignment_of(bytes));
  if (mapping == nullptr) return nullptr;
  madvise(mapping, mapped_bytes, MADV_HUGEPAGE);  // a wish: fewer page faults
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(mapping) + guard_bytes;
  const std::unique_lock lock(mutex_);
  // Managed and pinned memory the host writes as it likes; variables are zero from the start.
  auto written =
      kind == Allocation::Kind::device && checking() ? std::make_unique<WrittenBytes>(bytes) : nullptr;
  Owned owned{{begin, bytes, kind, name, written.get()}, std::move(written), mapping, mapped_bytes};
  owned_.insert_or_assign(begin, std::move(owned));
  bytes_in_use_ += bytes;
  return reinterpret_cast<void*>(begin);
}

bool Allocations::free(const void* start) {
  const std::unique_lock lock(mutex_);
  const auto found = owned_.find(reinterpret_cast<std::uint64_t>(start));
  if (found == owned_.end()) return false;
  forget(found);
  return true;
}

bool Allocations::adopt(const void* start, std::uint64_t bytes, Allocation::Kind kind) {
  const auto begin = reinterpret_cast<std::uint64_t>(start);
  const std::unique_lock lock(mutex_);
  const auto after = owned_.lower_bound(begin);
  if (after != owned_.end() && after->first < begin + bytes) return false;
  if (after != owned_.begin() && std::prev(after)->second.allocation.end() > begin) return false;
  owned_[begin] = {{begin, bytes, kind, {}}, nullptr, {}};
  return true;
}

void Allocations::free_all() {
  const std::unique_lock lock(mutex_);
  for (auto at = owned_.begin(); at != owned_.end();) {
    const Allocation::Kind kind = at->second.allocation.kind;
    const bool stays = kind == Allocation::Kind::variable || kind == Allocation::Kind::heap;
    at = stays ? std::next(at) : forget(at);
  }
}

Allocations::Map::iterator Allocations::forget(Map::iterator at) {
  if (at->second.mapping != nullptr) {
    munmap(at->second.mapping, at->second.mapped_bytes);
    bytes_in_use_ -= at->second.allocation.bytes;
  }
  return owned_.erase(at);
}

std::optional<Allocation> Allocations::find(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  auto after = owned_.upper_bound(address);
  if (after == owned_.begin()) return std::nullopt;
  const Allocation& candidate = (--after)->second.allocation;
  if (!candidate.holds(address, 1)) return std::nullopt;
  return candidate;
}

std::optional<Allocation> Allocations::nearest(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto after = owned_.upper_bound(address);
  if (after == owned_.begin()) {
    if (after == owned_.end()) return std::nullopt;
    return after->second.allocation;
  }
  const Allocation& before = std::prev(after)->second.allocation;
  if (after == owned_.end() || address - before.end() < after->first - address) return before;
  return after->second.allocation;
}

std::uint64_t Allocations::bytes_in_use() const {
  const std::shared_lock lock(mutex_);
  return bytes_in_use_;
}

std::vector<Allocation> Allocations::not_freed() const {
  const std::shared_lock lock(mutex_);
  std::vector<Allocation> found;
  for (const auto& [begin, owned] : owned_) {
    if (owned.allocation.kind != Allocation::Kind::variable) found.push_back(owned.allocation);
  }
  return found;
}

void Allocations::copy(void* to, const void* from, std::uint64_t bytes) {
  std::memmove(to, from, bytes);
  const auto address = reinterpret_cast<std::uint64_t>(to);
  const auto target = find(address);
  if (!target || target->written == nullptr) return;
  const std::uint64_t offset = address - target->begin;
  const auto source = find(reinterpret_cast<std::uint64_t>(from));
  if (!source || source->written == nullptr) return target->written->mark(offset, bytes);
  const std::uint64_t start = reinterpret_cast<std::uint64_t>(from) - source->begin;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t gap = source->written->first_unwritten(start + done, bytes - done) - start;
    target->written->mark(offset + done, gap - done);
    done = source->written->first_written(start + gap, bytes - gap) - start;
    target->written->forget(offset + gap, done - gap);
  }
}

void Allocations::mark_written(const void* start, std::uint64_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(start);
  const auto target = find(address);
  if (target && target->written != nullptr) target->written->mark(address - target->begin, bytes);
}

void Allocations::set(void* to, int value, std::uint64_t bytes) {
  std::memset(to, value, bytes);
  mark_written(to, bytes);
}

Allocations& device_memory() {
  static auto* const memory = new Allocations;  // never destroyed: programs free in their own destructors
  return *memory;
}

std::string text_of(const Allocation& allocation) {
  const std::string what = allocation.name.empty() ? "an allocation" : "variable " + allocation.name;
  return what + " of " + std::to_string(allocation.bytes) + " bytes at " + hexadecimal(allocation.begin);
}

std::string whereabouts(std::uint64_t address) {
  if (address < 4096) return "a null pointer, " + hexadecimal(address);
  const std::string text = hexadecimal(address) + ", ";
  if (const auto inside = device_memory().find(address))
    return text + std::to_string(address - inside->begin) + " bytes into " + text_of(*inside);
  const auto nearest = device_memory().nearest(address);
  if (!nearest) return text + "where nothing is allocated";
  if (address >= nearest->end())
    return text + std::to_string(address - nearest->end()) + " bytes behind the end of " + text_of(*nearest);
  return text + std::to_string(nearest->begin - address) + " bytes before " + text_of(*nearest);
}

}  // namespace weft::emulator
