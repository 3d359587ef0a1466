// Arrays are read, written, scaled or added (STREAM's triad): from a working set that the L2 holds to one of
// which the L2 holds little.

#include "stream.hpp"

namespace {
constexpr int together = 8;  // loads of a thread, of all arrays

__global__ __launch_bounds__(tile_block.x, 1) void triad(const uint4* __restrict__ in,
                                                         uint4* __restrict__ out, std::uint32_t tiles,
                                                         std::uint32_t turns) {
  constexpr int of_each = together / 2;
  constexpr std::int64_t size = std::int64_t{tile_block.x} * of_each;
  const uint4* const second = in + tiles * size;
  for_tiles<size>(tiles, turns, [&](std::int64_t first) {
    uint4 a[of_each];
    uint4 b[of_each];
#pragma unroll
    for (int i = 0; i < of_each; ++i) {
      a[i] = __ldcg(&in[first + std::int64_t{tile_block.x} * i]);
      b[i] = __ldcg(&second[first + std::int64_t{tile_block.x} * i]);
    }
#pragma unroll
    for (int i = 0; i < of_each; ++i) {
      out[first + std::int64_t{tile_block.x} * i] = {a[i].x + factor * b[i].x, a[i].y + factor * b[i].y,
                                                     a[i].z + factor * b[i].z, a[i].w + factor * b[i].w};
    }
  });
}

void launch_triad(unsigned blocks, cudaStream_t stream, const uint4* in, uint4* out, std::uint32_t* /*sums*/,
                  std::uint32_t tiles, std::uint32_t turns) {
  triad<<<blocks, tile_block, 0, stream>>>(in, out, tiles, turns);
}

/// How many arrays are read, and how many are written.
const List<Numbers> mixes{{1, 0}, {0, 1}, {1, 1}, {2, 1}};

Traffic traffic_of(const Numbers& mix) {
  if (mix == mixes[0]) return reading<together>;
  if (mix == mixes[1]) return writing<together>;
  if (mix == mixes[2]) return scaling<together>;
  return {.inputs = 2, .outputs = 1, .requests = together / 2, .launch = launch_triad};
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with_tuples("arrays", mixes).settings()) {
    const Numbers mix = setting["arrays"];
    Variant made = bandwidth("stream", setting, traffic_of(mix),
                             mix == mixes[0] ? a_block_for_each_multiprocessor : a_block_for_each_tile);
    made.curve = true;
    made.measured = working_sets();
    add(std::move(made));
  }
}
