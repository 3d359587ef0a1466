// The lanes of a warp count in 32 copies, each of which lies in a bank of its own. A lane reads 16 elements.
// While it counts them, the next ones are on their way.
#include "lane_copies.hpp"

namespace {
// [kernel]
/// @tparam loads of a thread that are on their way while it counts
template <int loads>
__global__ __launch_bounds__(threads, blocks_of_multiprocessor) void lane_copies(Histogram histogram,
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
  for (std::int64_t i = coming.first(); i < vectors; i += coming.apart() * loads) {
    const Coming<loads> found = coming;
    coming.ask(in, i + coming.apart() * loads, vectors);
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      if (i + coming.apart() * j >= vectors) break;
      count_bytes(column, found.vectors[j].x);
      count_bytes(column, found.vectors[j].y);
      count_bytes(column, found.vectors[j].z);
      count_bytes(column, found.vectors[j].w);
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

// [launch]
void launch(cudaStream_t stream, const Histogram& histogram, int loads) {
  const unsigned grid = blocks_for(histogram.count / bytes_of_vector, threads, blocks_of_multiprocessor);
  const auto kernel = loads == 1 ? lane_copies<1> : (loads == 2 ? lane_copies<2> : lane_copies<4>);
  kernel<<<grid, threads, 0, stream>>>(histogram, MeetingPoint(histogram));
}
// [launch]
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("loads", {4, 1, 2}).with("same", percents_of_same).settings()) {
    const int loads = setting.number("loads");
    add(histogram_variant(
        "lane-copies", setting,
        {.launch = [=](cudaStream_t stream, const Histogram& histogram) { launch(stream, histogram, loads); },
         .workspace = MeetingPoint::words_for(256),
         .predict = [](std::int64_t count) { return predict_lane_copies(count, count); }}));
  }
}
