#pragma once

/// @file
/// More memory than the host could fill in a time that a measurement has.

#include <cuda_runtime.h>

#include <cstdint>

#include "check/arrays.hpp"
#include "device/memory.hpp"

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
