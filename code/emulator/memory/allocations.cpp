#include "emulator/memory/allocations.hpp"

#include <sys/mman.h>

#include <mutex>

namespace weft::emulator {
namespace {

/// Bytes before and behind an allocation: an index that is off by some thousands still hits nothing else.
constexpr std::uint64_t guard_bytes = std::uint64_t{16} << 10;

}  // namespace

Allocations::~Allocations() {
  while (!owned_.empty()) forget(owned_.begin());
}

void* Allocations::allocate(std::uint64_t bytes, Allocation::Kind kind, const std::string& name) {
  if (bytes > (std::uint64_t{1} << 46)) return nullptr;
  const std::uint64_t mapped_bytes = bytes + 2 * guard_bytes;
  void* const mapping =
      mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  madvise(mapping, mapped_bytes, MADV_HUGEPAGE);  // a wish: fewer page faults
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(mapping) + guard_bytes;
  const std::unique_lock lock(mutex_);
  owned_[begin] = {{begin, bytes, kind, name}, mapping, mapped_bytes};
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
  owned_[begin] = {{begin, bytes, kind, {}}, nullptr, 0};
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

Allocations& device_memory() {
  static auto* const memory = new Allocations;  // never destroyed: programs free in their own destructors
  return *memory;
}

}  // namespace weft::emulator
