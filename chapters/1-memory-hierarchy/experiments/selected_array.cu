// The same array in registers: each look goes through all of its words and keeps the one that is meant.
#include "array_of_thread.hpp"

namespace {
__global__ __launch_bounds__(array_threads) void select(const std::uint32_t* numbers, std::uint32_t* last,
                                                        std::int64_t looks, unsigned indices) {
  std::uint32_t array[array_words];
#pragma unroll
  for (int i = 0; i < array_words; ++i) array[i] = numbers[i];
  std::uint32_t at = threadIdx.x % indices;
#pragma unroll 1
  for (std::int64_t look = 0; look < looks; ++look) {
    std::uint32_t found = array[0];
#pragma unroll
    for (unsigned i = 1; i < array_words; ++i) found = at == i ? array[i] : found;
    at = found;
  }
  last[std::int64_t{blockIdx.x} * array_threads + threadIdx.x] = at;
}

void launch(unsigned blocks, cudaStream_t stream, const std::uint32_t* numbers, std::uint32_t* last,
            std::int64_t looks, unsigned indices) {
  select<<<blocks, array_threads, 0, stream>>>(numbers, last, looks, indices);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("indices", {1, 32}).settings()) {
    Variant made = array_variant("selected-array", setting, launch);
    made.predict = [](const Shape&) { return filled_and_stored(); };
    add(std::move(made));
  }
}
