// Where the 16 elements of every lane of a warp are equal, each lane adds 16 at once.
#include "lane_copies.hpp"

namespace {
constexpr int loads = 4;  // of a thread that are on their way while it counts

// [kernel]
__global__ __launch_bounds__(threads, blocks_of_multiprocessor) void equal_elements(Histogram histogram,
                                                                                    MeetingPoint point) {
  __shared__ std::uint32_t table[256][model::warp_size];
  const auto thread = static_cast<int>(threadIdx.x);
  const auto* const in = reinterpret_cast<const uint4*>(histogram.words);
  const std::int64_t vectors = histogram.count / bytes_of_vector;
  Coming<loads> coming;  // NOLINT(cppcoreguidelines-pro-type-member-init): what is asked for is all of it
  coming.ask(in, coming.first(), vectors);
#pragma unroll
  for (int i = 0; i < 256; i += threads / 32) table[i + thread / 32][thread % 32] = 0;
  __syncthreads();
  auto* const column = reinterpret_cast<std::uint32_t (*)[model::warp_size]>(&table[0][thread % 32]);
  const int lane = thread % model::warp_size;
  for (std::int64_t i = coming.first(); i - lane < vectors; i += coming.apart() * loads) {
    const Coming<loads> found = coming;
    coming.ask(in, i + coming.apart() * loads, vectors);
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      if (i - lane + coming.apart() * j >= vectors) break;
      const uint4 words = found.vectors[j];
      const bool mine = i + coming.apart() * j < vectors;
      const std::uint32_t repeated = __byte_perm(words.x, 0, 0);
      const bool equal =
          words.x == repeated && words.y == repeated && words.z == repeated && words.w == repeated;
      if (__all_sync(~0U, equal || !mine)) {
        if (mine) atomicAdd(&column[words.x & 0xFF][0], 16U);
      } else if (mine) {
        count_bytes(column, words.x);
        count_bytes(column, words.y);
        count_bytes(column, words.z);
        count_bytes(column, words.w);
      }
    }
  }
  const std::int64_t left = vectors * bytes_of_vector + thread;  // the last vector, which is not whole
  if (blockIdx.x == 0 && left < histogram.count) {
    atomicAdd(&column[reinterpret_cast<const std::uint8_t*>(in)[left]][0], 1U);
  }
  __syncthreads();
  merge<256>(point, histogram.bins, [&](int bin) { return sum_of_copies(table, bin); });
}
// [kernel]

void launch(cudaStream_t stream, const Histogram& histogram) {
  const unsigned grid = blocks_for(histogram.count / bytes_of_vector, threads, blocks_of_multiprocessor);
  equal_elements<<<grid, threads, 0, stream>>>(histogram, MeetingPoint(histogram));
}

/// That the vectors of all lanes of a warp are such by chance is not supposed.
model::Prediction predict(std::int64_t count, bool equal) {
  return predict_lane_copies(count, equal ? count / bytes_of_vector : count);
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
