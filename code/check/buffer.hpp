#pragma once

/// @file
/// Arrays with guard zones, where a kernel that leaves its array is found out.

#include <cstddef>
#include <cstdint>
#include <new>

#include "check/pattern.hpp"
#include "device/memory.hpp"
#include "device/parallel.hpp"
#include "model/list.hpp"

namespace weft {

/// Bytes of a guard zone, before and after the elements.
inline constexpr std::int64_t guard_bytes = std::int64_t{64} << 10;

/// Elements that are moved between host and device at a time.
inline constexpr std::int64_t chunk_elements = std::int64_t{1} << 24;

/// As std::min, whose header takes a step longer to compile than its kernel.
constexpr std::int64_t lesser(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

/// The host's side of a chunk of an array that moves in chunks.
template <typename T>
class Chunk {
 public:
  /// @param size elements of the array
  explicit Chunk(std::int64_t size)
      : staging_(static_cast<std::size_t>(lesser(size, chunk_elements)) * sizeof(T)) {}

  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(staging_.data()); }

 private:
  Staging staging_;
};

/// An array of T between two guard zones; uninitialized until it is filled or poisoned.
/// The elements start on a multiple of 256 bytes, as cudaMalloc's do.
/// @tparam Memory owns the bytes and copies them: the device's, or the host's where the comparators are
/// tested
template <typename T, typename Memory = DeviceMemory>
class GuardedBuffer {
 public:
  /// @throws OutOfDeviceMemory if there is no room
  explicit GuardedBuffer(std::int64_t size) : size_(size), memory_(bytes_for(size)) {}

  [[nodiscard]] T* data() { return elements(); }
  [[nodiscard]] const T* data() const { return elements(); }
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Overwrites elements and guards with their signalling NaNs.
  void poison(cudaStream_t stream = nullptr) {
    reset_guards(stream);
    const List<T> pattern(static_cast<std::size_t>(lesser(size_, guard_elements)), weft::poison<T>());
    auto done = static_cast<std::int64_t>(pattern.size());
    if (done > 0) Memory::copy_in(elements(), pattern.data(), pattern.size() * sizeof(T), stream);
    while (done < size_) {  // by copies alone: a profiler that counts kernels sees none but the step's
      const std::int64_t next = lesser(done, size_ - done);
      Memory::copy_within(elements() + done, elements(), static_cast<std::size_t>(next) * sizeof(T), stream);
      done += next;
    }
  }

  /// Sets each element to `value(index)` and resets the guards.
  template <typename Value>
  void fill(const Value& value) {
    fill_ranges([&](std::int64_t begin, std::int64_t end, T* values) {
      for (std::int64_t i = begin; i < end; ++i) values[i - begin] = value(i);
    });
  }

  /// The same, with what writes the values of the elements [begin, end): `write(begin, end, values)`.
  template <typename Write>
  void fill_ranges(const Write& write) {
    reset_guards(nullptr);
    const Chunk<T> chunk(size_);
    for (std::int64_t first = 0; first < size_; first += chunk_elements) {
      const std::int64_t last = lesser(size_, first + chunk_elements);
      for_each_range(first, last, [&](std::int64_t begin, std::int64_t end) {
        write(begin, end, chunk.data() + (begin - first));
      });
      Memory::copy_in(elements() + first, chunk.data(), static_cast<std::size_t>(last - first) * sizeof(T));
    }
  }

  /// Copies elements [first, last) to the host; indices below 0 and from size() on reach into the guards.
  void copy_out(std::int64_t first, std::int64_t last, T* host) const {
    if (first < last)
      Memory::copy_out(host, elements() + first, static_cast<std::size_t>(last - first) * sizeof(T));
  }

  /// Elements that fit into a guard zone.
  static constexpr std::int64_t guard_elements = guard_bytes / static_cast<std::int64_t>(sizeof(T));

 private:
  static std::size_t bytes_for(std::int64_t size) {
    constexpr std::int64_t most = (INT64_MAX - 2 * guard_bytes) / std::int64_t{sizeof(T)};
    if (size < 0 || size > most) throw std::bad_array_new_length();
    return static_cast<std::size_t>(size) * sizeof(T) + 2 * static_cast<std::size_t>(guard_bytes);
  }

  [[nodiscard]] T* elements() const { return reinterpret_cast<T*>(memory_.data() + guard_bytes); }

  void reset_guards(cudaStream_t stream) {
    const List<T> pattern(static_cast<std::size_t>(guard_elements), guard<T>());
    Memory::copy_in(elements() - guard_elements, pattern.data(), static_cast<std::size_t>(guard_bytes),
                    stream);
    Memory::copy_in(elements() + size_, pattern.data(), static_cast<std::size_t>(guard_bytes), stream);
  }

  std::int64_t size_;
  Memory memory_;
};

}  // namespace weft
