#pragma once

/// @file
/// Reading lines with the whole GPU, each block stamped: the kernel of one_channel.cu that reads what was
/// found.

#include "kernel/global_timer.hpp"
#include "lines_of_slice.hpp"

// Unnamed, as in the program that includes it: the names of kernels are a part of what results are published
// for.
namespace {
constexpr int together = 4;  // loads that a thread waits for at the same time

/// The lines of a list, the first `most` of them.
struct OfList {
  Listed list;
  std::int64_t most;
  [[nodiscard]] __device__ std::int64_t count() const { return min(list.size(), most); }
  [[nodiscard]] __device__ std::int64_t line(std::int64_t i) const { return list.lines[i]; }
};

/// Lines from anywhere.
struct Anywhere {
  Candidates candidates;
  std::int64_t most;
  [[nodiscard]] __device__ std::int64_t count() const { return most; }
  [[nodiscard]] __device__ std::int64_t line(std::int64_t i) const { return candidates.line(0, 1, i); }
};

/// Neighbouring lines.
struct Neighbours {
  std::int64_t first, most;
  [[nodiscard]] __device__ std::int64_t count() const { return most; }
  [[nodiscard]] __device__ std::int64_t line(std::int64_t i) const { return first + i; }
};

/// All blocks read lines, each line by as many threads as it takes to read its bytes, 16 at a time.
/// @param threads_of_line 8 for whole lines, 2 for their first sectors
/// @param times each line is read so often
/// @param stamps takes when each block began and ended; may be null
/// @param sums takes the sum of all words that were read
template <int threads_of_line, typename Lines>
__global__ void read_lines(const std::uint32_t* memory, Lines lines, std::int64_t times, std::int64_t* stamps,
                           std::int64_t* sum_of_all) {
  if (stamps != nullptr && threadIdx.x == 0) stamps[std::int64_t{2} * blockIdx.x] = global_nanosecond();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t part = thread % threads_of_line;
  const std::int64_t groups = std::int64_t{gridDim.x} * blockDim.x / threads_of_line;
  const std::int64_t count = lines.count();
  std::uint32_t sum = 0;
  for (std::int64_t first = thread / threads_of_line; first < count * times; first += groups * together) {
    uint4 found[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const std::int64_t at = first + i * groups;
      found[i] = {};
      if (at >= count * times) continue;
      const std::uint32_t* const line = memory + lines.line(times == 1 ? at : at % count) * words_of_line;
      found[i] = __ldcg(reinterpret_cast<const uint4*>(line) + part);
    }
#pragma unroll
    for (const uint4 one : found) sum += one.x + one.y + one.z + one.w;
  }
  const bool read_all = __syncthreads_or(static_cast<int>(sum)) >= 0;  // all loads have come
  if (stamps == nullptr) return;
  if (read_all && threadIdx.x == 0) stamps[std::int64_t{2} * blockIdx.x + 1] = global_nanosecond();
  sum = __reduce_add_sync(~0U, sum);
  if (threadIdx.x % model::warp_size == 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(sum_of_all), static_cast<unsigned long long>(sum));
  }
}
}  // namespace
