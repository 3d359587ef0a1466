// Where the 16 elements of every lane of a warp are equal, each lane adds 16 at once.
#include "merge.hpp"

namespace {
constexpr int threads = 512;
constexpr int blocks_of_multiprocessor = 4;  // of 32 KiB each

// [kernel]
__device__ void count_bytes(std::uint32_t (*column)[model::warp_size], std::uint32_t word) {
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) atomicAdd(&column[word >> shift & 0xFF][0], 1U);
}

__global__ __launch_bounds__(threads, blocks_of_multiprocessor) void equal_elements(Histogram histogram,
                                                                                    MeetingPoint point) {
  __shared__ std::uint32_t table[256][model::warp_size];
  const auto thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < 256; i += threads / 32) table[i + thread / 32][thread % 32] = 0;
  __syncthreads();
  auto* const column = reinterpret_cast<std::uint32_t (*)[model::warp_size]>(&table[0][thread % 32]);
  const auto* const in = reinterpret_cast<const uint4*>(histogram.words);
  const std::int64_t vectors = histogram.count / bytes_of_vector;
  const Share share = share_of_block(vectors);
  const int lane = thread % model::warp_size;
  for (std::int64_t i = share.first + thread; i - lane < share.last; i += threads) {
    const bool mine = i < share.last;
    const uint4 found = mine ? in[i] : uint4{};
    const std::uint32_t repeated = __byte_perm(found.x, 0, 0);
    const bool equal =
        found.x == repeated && found.y == repeated && found.z == repeated && found.w == repeated;
    if (__all_sync(~0U, equal)) {
      if (mine) atomicAdd(&column[found.x & 0xFF][0], 16U);
    } else if (mine) {
      count_bytes(column, found.x);
      count_bytes(column, found.y);
      count_bytes(column, found.z);
      count_bytes(column, found.w);
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

void launch(cudaStream_t stream, const Histogram& histogram) {
  const unsigned grid = blocks_for(histogram.count / bytes_of_vector, threads, blocks_of_multiprocessor);
  equal_elements<<<grid, threads, 0, stream>>>(histogram, MeetingPoint(histogram));
}

/// Of as many bytes as give each warp whole vectors. That all vectors of a warp are such by chance is not
/// supposed.
model::Prediction predict(std::int64_t count, bool equal) {
  const std::int64_t vectors = count / bytes_of_vector;
  const std::int64_t blocks = blocks_for(vectors, threads, blocks_of_multiprocessor);
  model::Prediction prediction;
  prediction.global_load(vectors / model::warp_size, 16, own_lane)
      .shared_store(blocks * 256, 4, own_lane)
      .shared_atomic((equal ? vectors : count) / model::warp_size, own_lane);
  predict_merge(prediction, blocks, threads, 256, model::warp_size);
  return prediction;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("same", percents_of_same).settings()) {
    const bool equal = setting.number() == 100;
    add(histogram_variant("equal-elements", setting,
                          {.launch = launch,
                           .workspace = MeetingPoint::words_for(256),
                           .predict = [=](std::int64_t count) { return predict(count, equal); }}));
  }
}
