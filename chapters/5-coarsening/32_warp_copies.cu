// Each warp counts in a copy of its own.
#include "histogram.hpp"

namespace {
constexpr dim3 block{256};
constexpr int warps = block.x / model::warp_size;
constexpr int blocks_of_multiprocessor = 8;

// [kernel]
__global__ __launch_bounds__(block.x) void warp_copies(const std::uint8_t* __restrict__ in,
                                                       std::int64_t count, std::uint32_t* __restrict__ bins) {
  __shared__ std::uint32_t table[warps][256];
#pragma unroll
  for (auto& copy : table) copy[threadIdx.x] = 0;
  __syncthreads();
  std::uint32_t* const own = table[threadIdx.x / model::warp_size];
  for (std::int64_t i = block_x() * block.x + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * block.x) {
    atomicAdd(&own[in[i]], 1U);
  }
  __syncthreads();
  std::uint32_t sum = 0;
#pragma unroll
  for (const auto& copy : table) sum += copy[threadIdx.x];
  atomicAdd(&bins[threadIdx.x], sum);
}
// [kernel]

void launch(cudaStream_t stream, const Histogram& histogram) {
  cuda_check(cudaMemsetAsync(histogram.bins, 0, sizeof(std::uint32_t) * bytes.bins, stream));
  const std::int64_t most = std::int64_t{multiprocessors()} * blocks_of_multiprocessor;
  const auto grid = static_cast<unsigned>(min(blocks_over(histogram.count, block.x), most));
  if (grid == 0) return;
  const auto* const in = reinterpret_cast<const std::uint8_t*>(histogram.words);
  warp_copies<<<grid, block, 0, stream>>>(in, histogram.count, histogram.bins);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("same", percents_of_same).settings()) {
    add(histogram_variant("warp-copies", setting, {.launch = launch, .predict = {}}));
  }
}
