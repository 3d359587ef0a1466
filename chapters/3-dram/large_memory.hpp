#pragma once

/// @file
/// More memory than the host could fill in a time that a measurement has.

#include <cuda_runtime.h>

#include <cstdint>

#include "check/arrays.hpp"
#include "device/memory.hpp"
#include "device/parallel.hpp"

namespace weft {

inline constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// Memory that is filled without a kernel, however much it is: the words of every 16 MiB are alike.
class LargeMemory {
 public:
  /// @param bytes a power of two
  explicit LargeMemory(std::int64_t bytes)
      : bytes_(bytes), memory_(static_cast<std::size_t>(bytes)), first_(bytes < piece ? bytes : piece) {}

  void fill(std::uint64_t seed);

  /// Whether the first 16 MiB are as they were filled.
  [[nodiscard]] Verdict changed(std::uint64_t seed) const;

  [[nodiscard]] const std::byte* data() const { return memory_.data(); }

  /// The word that lies at a byte.
  __host__ __device__ static std::uint32_t word(std::uint64_t seed, std::int64_t byte) {
    return static_cast<std::uint32_t>(byte % piece / 4 * 5 + static_cast<std::int64_t>(seed));
  }

 private:
  static constexpr std::int64_t piece = 16 * mebibyte;

  std::int64_t bytes_;
  DeviceMemory memory_;
  std::int64_t first_;
};

/// The values of an array each of which takes as much work as hundreds of elements do elsewhere: many at
/// once.
/// @param value of an element, `value(seed, index)`
template <typename T, typename Value>
auto weighty(const Value& value) {
  return [=](std::uint64_t seed, std::int64_t first, std::int64_t last, T* values) {
    const auto some = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) values[i - first] = value(seed, i);
    };
    constexpr std::int64_t worth_of_one = 128;
    for_each_range(first, last, some, worth_of_one);
  };
}

/// A problem that reads a large memory, and must leave it as it is.
class LargeMemoryProblem : public ArrayProblem {
 public:
  /// @param bytes a power of two
  explicit LargeMemoryProblem(std::int64_t bytes) : memory_(bytes) {}

  void fill(std::uint64_t seed) override;
  Verdict verify() override;

 protected:
  [[nodiscard]] const LargeMemory& memory() const { return memory_; }

 private:
  LargeMemory memory_;
};

}  // namespace weft
