#include "emulator/memory/device_heap.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "emulator/memory/allocations.hpp"

namespace weft::emulator {
namespace {

/// Between allocations: an index that is off by a little hits nothing else.
constexpr std::uint64_t gap_bytes = 16;
/// Room is taken from the host in pieces of this size.
constexpr std::uint64_t piece_bytes = std::uint64_t{64} << 20;

}  // namespace

std::uint64_t DeviceHeap::take_room(std::uint64_t bytes) {
  auto& spare = spare_[bytes];
  if (!spare.empty()) {
    const std::uint64_t room = spare.back();
    spare.pop_back();
    return room;
  }
  if (end_ - next_ < bytes) {
    const std::uint64_t piece = std::max(piece_bytes, bytes);
    const void* const memory =
        mmap(nullptr, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return 0;
    next_ = reinterpret_cast<std::uint64_t>(memory);
    end_ = next_ + piece;
  }
  next_ += bytes;
  return next_ - bytes;
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (bytes == 0 || bytes > limit_ - std::min(limit_, in_use_)) return 0;
  const std::uint64_t room = (bytes + gap_bytes + 15) / 16 * 16;
  const std::uint64_t address = take_room(room);
  if (address == 0) return 0;
  device_memory().adopt(reinterpret_cast<const void*>(address), bytes, Allocation::Kind::heap);
  rooms_[address] = room;
  in_use_ += room;
  return address;
}

bool DeviceHeap::free(std::uint64_t address) {
  const std::scoped_lock lock(mutex_);
  const auto found = rooms_.find(address);
  if (found == rooms_.end()) return false;
  device_memory().free(reinterpret_cast<const void*>(address));
  spare_[found->second].push_back(address);
  in_use_ -= found->second;
  rooms_.erase(found);
  return true;
}

void DeviceHeap::set_limit(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  limit_ = bytes;
}

DeviceHeap& device_heap() {
  static auto* const heap = new DeviceHeap;  // never destroyed, like the memory that it divides
  return *heap;
}

}  // namespace weft::emulator
