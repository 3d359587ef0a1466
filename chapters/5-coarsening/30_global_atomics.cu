// Each thread adds one for its element to a counter in global memory.
#include "histogram.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
__global__ void global_atomics(const std::uint8_t* __restrict__ in, std::int64_t count,
                               std::uint32_t* __restrict__ bins) {
  const std::int64_t i = block_x() * block.x + threadIdx.x;
  if (i < count) atomicAdd(&bins[in[i]], 1U);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Histogram& histogram) {
  cuda_check(cudaMemsetAsync(histogram.bins, 0, sizeof(std::uint32_t) * bytes.bins, stream));
  if (histogram.count == 0) return;
  const dim3 grid = grid_over(histogram.count, 1, block);
  const auto* const in = reinterpret_cast<const std::uint8_t*>(histogram.words);
  global_atomics<<<grid, block, 0, stream>>>(in, histogram.count, histogram.bins);
}
// [launch]
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("same", percents_of_same).settings()) {
    Variant made = histogram_variant("global-atomics", setting, {.launch = launch, .predict = {}});
    made.counted.clear();  // lanes that meet at an address while others are in other lines: no rule is known
    add(std::move(made));
  }
}
