#pragma once

/// @file
/// The timer that all multiprocessors read.

#include <cuda_runtime.h>

#include <cstdint>

namespace weft {

/// The nanosecond that the timer of the whole GPU shows. It goes in steps of many nanoseconds; the clock of a
/// multiprocessor counts more finely, but stands elsewhere on each of them.
__device__ inline std::int64_t global_nanosecond() {
  std::int64_t time = 0;  // NOLINT(misc-const-correctness): the instruction writes it
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}

}  // namespace weft
