#pragma once

/// @file
/// The heap that kernels allocate from, with malloc and new.

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace weft::emulator {

/// Small pieces of the device's memory. Each is an allocation of its own, with a gap before the next one.
class DeviceHeap {
 public:
  /// @return the address, a multiple of 16, of memory with no particular contents; 0 if there is no room
  std::uint64_t allocate(std::uint64_t bytes);

  /// @return whether there is an allocation that starts there
  bool free(std::uint64_t address);

  /// Bytes that may be in use, as cudaLimitMallocHeapSize sets them.
  void set_limit(std::uint64_t bytes);

 private:
  std::uint64_t take_room(std::uint64_t bytes);

  std::mutex mutex_;
  std::uint64_t limit_ = std::uint64_t{8} << 20;
  std::uint64_t in_use_ = 0;
  std::uint64_t next_ = 0, end_ = 0;                           ///< of the room that was never used
  std::map<std::uint64_t, std::vector<std::uint64_t>> spare_;  ///< rooms that were freed, by their size
  std::map<std::uint64_t, std::uint64_t> rooms_;               ///< sizes of those in use, by address
};

DeviceHeap& device_heap();

}  // namespace weft::emulator
