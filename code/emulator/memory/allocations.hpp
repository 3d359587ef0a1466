#pragma once

/// @file
/// The memory of the device: pieces of the host's, known by their bounds.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "emulator/memory/written_bytes.hpp"

namespace weft::emulator {

/// A piece of memory that kernels may use.
struct Allocation {
  enum class Kind : std::uint8_t { device, managed, pinned, variable, registered, heap };
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  Kind kind = Kind::device;
  std::string name;                 ///< of a variable; else empty
  WrittenBytes* written = nullptr;  ///< nothing if all bytes may be read, whoever wrote them

  [[nodiscard]] std::uint64_t end() const { return begin + bytes; }
  [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t length) const {
    return address >= begin && length <= bytes && address - begin <= bytes - length;
  }
};

/// "an allocation of 256 bytes at 0x7f00"
std::string text_of(const Allocation& allocation);

/// Where an address lies, seen from the nearest allocation: "0x7f04, 4 bytes into an allocation of …".
std::string whereabouts(std::uint64_t address);

/// All pieces. Kernels look up from many threads.
class Allocations {
 public:
  Allocations() = default;
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;
  ~Allocations();

  /// Allocates memory between guard zones that belong to nothing. It starts on a multiple of
  /// 2 MiB and of the least power of two that is not smaller than it.
  /// @return nullptr if there is no room
  void* allocate(std::uint64_t bytes, Allocation::Kind kind, const std::string& name = {});

  /// @return whether there is an allocation of a kind that starts there
  bool free(const void* start);

  /// Takes in memory that stays somebody else's: the host's own, or the heap's that kernels use.
  /// @return whether it overlaps with nothing that is there
  bool adopt(const void* start, std::uint64_t bytes, Allocation::Kind kind = Allocation::Kind::registered);

  /// Frees everything but variables and the heap that kernels use.
  void free_all();

  /// The allocation that an address lies in.
  [[nodiscard]] std::optional<Allocation> find(std::uint64_t address) const;

  /// The allocation that lies nearest to an address that lies in none.
  [[nodiscard]] std::optional<Allocation> nearest(std::uint64_t address) const;

  [[nodiscard]] std::uint64_t bytes_in_use() const;

  /// All that was allocated and not freed, but for variables, in the order of their addresses.
  [[nodiscard]] std::vector<Allocation> not_freed() const;

  /// Copies as the host does, wherever both lie: what was never written in the one is not in the other,
  /// either.
  void copy(void* to, const void* from, std::uint64_t bytes);

  /// Notes that the host has written a range, which may lie anywhere.
  void mark_written(const void* start, std::uint64_t bytes);

  /// Sets bytes as the host does.
  void set(void* to, int value, std::uint64_t bytes);

 private:
  struct Owned {
    Allocation allocation;
    std::unique_ptr<WrittenBytes> written;
    void* mapping = nullptr;  ///< none for the host's own
    std::uint64_t mapped_bytes = 0;
  };

  using Map = std::map<std::uint64_t, Owned>;

  /// @return what comes next
  Map::iterator forget(Map::iterator at);

  mutable std::shared_mutex mutex_;
  Map owned_;  ///< by where they begin
  std::uint64_t bytes_in_use_ = 0;
};

/// The device's memory.
Allocations& device_memory();

}  // namespace weft::emulator
