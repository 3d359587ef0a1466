// 4096 bins for shorts: too many for a copy for each lane, so lanes that are some apart share one.
#include "merge.hpp"

namespace {
constexpr int bins = shorts.bins;
constexpr int threads = 1024;
constexpr int loads = 4;  // of a thread that are on their way at a time

// [kernel]
/// @tparam copies of the bins: lanes that are so many apart share one
template <int copies>
__global__ __launch_bounds__(threads, 1) void many_bins(Histogram histogram, MeetingPoint point) {
  extern __shared__ std::uint32_t table[];
  const auto thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < bins * copies; i += threads) table[i + thread] = 0;
  __syncthreads();
  auto* const own = reinterpret_cast<std::uint32_t (*)[copies]>(&table[thread % copies]);
  const auto count_shorts = [&](std::uint32_t word) {
    atomicAdd(&own[word & (bins - 1)][0], 1U);
    atomicAdd(&own[word >> 16 & (bins - 1)][0], 1U);
  };
  const auto* const in = reinterpret_cast<const uint4*>(histogram.words);
  const std::int64_t vectors = histogram.count * 2 / bytes_of_vector;
  const Share share = share_of_block(vectors);
  for (std::int64_t i = share.first + thread; i < share.last; i += std::int64_t{threads} * loads) {
    uint4 found[loads];
    load_vectors<threads>(in, i, share.last, found);
    count_words<threads>(found, i, share.last, count_shorts);
  }
  const std::int64_t left = vectors * bytes_of_vector / 2 + thread;  // the last vector, which is not whole
  if (blockIdx.x == 0 && left < histogram.count) {
    atomicAdd(&own[reinterpret_cast<const std::uint16_t*>(in)[left]][0], 1U);
  }
  __syncthreads();
  merge<bins>(point, histogram.bins, [&](int bin) {
    std::uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < copies; ++i)
      sum += table[bin * copies + (bin * copies / model::warp_size + i) % copies];
    return sum;
  });
}
// [kernel]

auto kernel_of(int copies) {
  if (copies == 1) return many_bins<1>;
  if (copies == 2) return many_bins<2>;
  if (copies == 4) return many_bins<4>;
  return many_bins<8>;
}

void launch(cudaStream_t stream, const Histogram& histogram, int copies) {
  const auto kernel = kernel_of(copies);
  const int shared = bins * copies * static_cast<int>(sizeof(std::uint32_t));
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const unsigned grid = blocks_for(histogram.count * 2 / bytes_of_vector, threads * loads, 1);
  kernel<<<grid, threads, static_cast<std::size_t>(shared), stream>>>(histogram, MeetingPoint(histogram));
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting :
       Axes().with("copies", {8, 1, 2, 4}).with("same", percents_of_same).settings()) {
    const int copies = setting.number("copies");
    Variant made =
        histogram_variant("many-bins", setting,
                          {.elements = shorts,
                           .launch = [=](cudaStream_t stream,
                                         const Histogram& histogram) { launch(stream, histogram, copies); },
                           .workspace = MeetingPoint::words_for(bins),
                           .predict = {}});
    made.curve = !setting.is_default();
    add(std::move(made));
  }
}
