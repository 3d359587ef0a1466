// The same array in local memory, written again and again and read once: what does a store to local memory
// cost that no load waits for?
#include "array_of_thread.hpp"
#include "local_memory.hpp"

namespace {
__global__ __launch_bounds__(array_threads) void write(const std::uint32_t* numbers, std::uint32_t* last,
                                                       std::int64_t looks, unsigned indices) {
  std::uint32_t array[array_words];
#pragma unroll
  for (int i = 0; i < array_words; ++i) array[i] = numbers[i];
  const std::uint32_t none = numbers[0];  // not for the compiler to see
  std::uint32_t at = threadIdx.x % indices;
#pragma unroll 8
  for (std::int64_t look = 0; look < looks; ++look) {
    array[at] = at;
    at += none;
  }
  last[std::int64_t{blockIdx.x} * array_threads + threadIdx.x] = array[at];
}

void launch(unsigned blocks, cudaStream_t stream, const std::uint32_t* numbers, std::uint32_t* last,
            std::int64_t looks, unsigned indices) {
  write<<<blocks, array_threads, 0, stream>>>(numbers, last, looks, indices);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("indices", {1, 32}).settings()) {
    Variant made = array_variant("written-array", setting, launch);
    made.counted.clear();  // the emulator does not count local memory
    made.quantities = local_memory_counters();
    add(std::move(made));
  }
}
