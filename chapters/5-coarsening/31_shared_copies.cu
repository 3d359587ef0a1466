// Each block counts in shared memory, in one copy of the bins or in several that its lanes share, and adds
// what it has counted to global memory once.
#include "histogram.hpp"

namespace {
constexpr int threads = 256;
constexpr int blocks_of_multiprocessor = 6;  // of 32 KiB each, if there are most copies

// [kernel]
/// @tparam copies of the bins: lanes l, l + copies, l + 2 copies … share one
template <int copies>
__global__ __launch_bounds__(threads) void shared_copies(const std::uint8_t* __restrict__ in,
                                                         std::int64_t count,
                                                         std::uint32_t* __restrict__ bins) {
  __shared__ std::uint32_t table[256][copies];
  const auto thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < 256; i += threads / copies) table[i + thread / copies][thread % copies] = 0;
  __syncthreads();
  for (std::int64_t i = block_x() * threads + thread; i < count; i += std::int64_t{gridDim.x} * threads) {
    atomicAdd(&table[in[i]][thread % copies], 1U);
  }
  __syncthreads();
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < copies; ++i) sum += table[thread][(thread + i) % copies];
  atomicAdd(&bins[thread], sum);
}
// [kernel]

auto kernel_of(int copies) {
  if (copies == 1) return shared_copies<1>;
  if (copies == 4) return shared_copies<4>;
  if (copies == 16) return shared_copies<16>;
  return shared_copies<32>;
}

// [launch]
void launch(cudaStream_t stream, const Histogram& histogram, int copies) {
  cuda_check(cudaMemsetAsync(histogram.bins, 0, sizeof(std::uint32_t) * bytes.bins, stream));
  const std::int64_t most = std::int64_t{multiprocessors()} * blocks_of_multiprocessor;
  const auto grid = static_cast<unsigned>(min(blocks_over(histogram.count, threads), most));
  if (grid == 0) return;
  const auto* const in = reinterpret_cast<const std::uint8_t*>(histogram.words);
  kernel_of(copies)<<<grid, threads, 0, stream>>>(in, histogram.count, histogram.bins);
}
// [launch]
}  // namespace

void weft::register_steps() {
  for (const Setting& setting :
       Axes().with("copies", {1, 4, 16, 32}).with("same", percents_of_same).settings()) {
    const int copies = setting.number("copies");
    Variant made =
        histogram_variant("shared-copies", setting,
                          {.launch = [=](cudaStream_t stream,
                                         const Histogram& histogram) { launch(stream, histogram, copies); },
                           .predict = {}});
    made.curve = !setting.is_default();
    add(std::move(made));
  }
}
