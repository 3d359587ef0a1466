// Of the lanes whose elements are equal, one adds their number.
#include <algorithm>

#include "histogram.hpp"

namespace {
constexpr int threads = 256;
constexpr int blocks_of_multiprocessor = 8;

// [kernel]
__global__ __launch_bounds__(threads) void matched_lanes(const std::uint8_t* __restrict__ in,
                                                         std::int64_t count,
                                                         std::uint32_t* __restrict__ bins) {
  __shared__ std::uint32_t table[256];
  const auto thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  table[thread] = 0;
  __syncthreads();
  for (std::int64_t i = block_x() * threads + thread; i - lane < count;
       i += std::int64_t{gridDim.x} * threads) {
    const int element = i < count ? in[i] : -1;
    const unsigned equal = __match_any_sync(~0U, element);
    if (element >= 0 && lane == __ffs(static_cast<int>(equal)) - 1) {
      atomicAdd(&table[element], static_cast<unsigned>(__popc(equal)));
    }
  }
  __syncthreads();
  atomicAdd(&bins[thread], table[thread]);
}
// [kernel]

void launch(cudaStream_t stream, const Histogram& histogram) {
  cuda_check(cudaMemsetAsync(histogram.bins, 0, sizeof(std::uint32_t) * bytes.bins, stream));
  const std::int64_t most = std::int64_t{multiprocessors()} * blocks_of_multiprocessor;
  const auto grid = static_cast<unsigned>(std::min(blocks_over(histogram.count, threads), most));
  if (grid == 0) return;
  const auto* const in = reinterpret_cast<const std::uint8_t*>(histogram.words);
  matched_lanes<<<grid, threads, 0, stream>>>(in, histogram.count, histogram.bins);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("same", percents_of_same).settings()) {
    add(histogram_variant("matched-lanes", setting, {.launch = launch, .predict = {}}));
  }
}

TEST_CASE("of a constant, a warp's atomics are one lane") {
  with_counts({1 << 16},
              [](const model::Metrics& counted) {
                CHECK(counted[model::Metric::shared_atomic_wavefronts] == (1 << 16) / 32);
              },
              {{"same", {100}}});
}
