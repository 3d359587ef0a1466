// Each lane counts in a copy of its own, which lies in a bank of its own, and reads 16 elements at a time.
// While it counts some, the next are on their way.
#include "merge.hpp"

namespace {
constexpr int threads = 1024;
constexpr int blocks_of_multiprocessor = 1;

// [count]
/// Adds one for each of a word's bytes. The counters of a lane lie one below the other.
__device__ void count_bytes(std::uint32_t (*column)[model::warp_size], std::uint32_t word) {
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) atomicAdd(&column[word >> shift & 0xFF][0], 1U);
}
// [count]

// [kernel]
/// @tparam loads of a thread that are on their way while it counts
template <int loads>
__global__ __launch_bounds__(threads, blocks_of_multiprocessor) void lane_copies(Histogram histogram,
                                                                                 MeetingPoint point) {
  __shared__ std::uint32_t table[256][model::warp_size];
  const auto thread = static_cast<int>(threadIdx.x);
  const auto* const in = reinterpret_cast<const uint4*>(histogram.words);
  const std::int64_t vectors = histogram.count / bytes_of_vector;
  const std::int64_t step = std::int64_t{gridDim.x} * threads;  // all blocks' threads lie side by side
  uint4 next[loads];
  const auto ask = [&](std::int64_t first) {
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      if (first + step * j < vectors) next[j] = __ldcs(&in[first + step * j]);
    }
  };
  const std::int64_t first = block_x() * threads + thread;
  ask(first);
#pragma unroll
  for (int i = 0; i < 256; i += threads / 32) table[i + thread / 32][thread % 32] = 0;
  __syncthreads();
  auto* const column = reinterpret_cast<std::uint32_t (*)[model::warp_size]>(&table[0][thread % 32]);
  for (std::int64_t i = first; i < vectors; i += step * loads) {
    uint4 found[loads];
#pragma unroll
    for (int j = 0; j < loads; ++j) found[j] = next[j];
    ask(i + step * loads);
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      if (i + step * j >= vectors) break;
      count_bytes(column, found[j].x);
      count_bytes(column, found[j].y);
      count_bytes(column, found[j].z);
      count_bytes(column, found[j].w);
    }
  }
  const std::int64_t left = vectors * bytes_of_vector + thread;  // the last vector, which is not whole
  if (blockIdx.x == 0 && left < histogram.count) {
    atomicAdd(&column[reinterpret_cast<const std::uint8_t*>(in)[left]][0], 1U);
  }
  __syncthreads();
  merge<256>(point, histogram.bins, [&](int bin) {
    std::uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < model::warp_size; ++i) sum += table[bin][(bin + i) % 32];
    return sum;
  });
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Histogram& histogram, int loads) {
  const unsigned grid = blocks_for(histogram.count / bytes_of_vector, threads, blocks_of_multiprocessor);
  const auto kernel = loads == 1 ? lane_copies<1> : (loads == 2 ? lane_copies<2> : lane_copies<4>);
  kernel<<<grid, threads, 0, stream>>>(histogram, MeetingPoint(histogram));
}
// [launch]

/// Of as many bytes as give each warp whole vectors: whatever they are, no two lanes meet in a bank.
model::Prediction predict(std::int64_t count) {
  const std::int64_t vectors = count / bytes_of_vector;
  const std::int64_t blocks = blocks_for(vectors, threads, blocks_of_multiprocessor);
  model::Prediction prediction;
  prediction.global_load(vectors / model::warp_size, 16, own_lane)
      .shared_store(blocks * 256, 4, own_lane)
      .shared_atomic(count / model::warp_size, own_lane);
  predict_merge(prediction, blocks, threads, 256, model::warp_size);
  return prediction;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("loads", {4, 1, 2}).with("same", percents_of_same).settings()) {
    const int loads = setting.number("loads");
    add(histogram_variant(
        "lane-copies", setting,
        {.launch = [=](cudaStream_t stream, const Histogram& histogram) { launch(stream, histogram, loads); },
         .workspace = MeetingPoint::words_for(256),
         .predict = predict}));
  }
}
