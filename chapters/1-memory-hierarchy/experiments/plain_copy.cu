// An array is copied, not scaled, from a working set that the L2 holds to one of which it holds little: what
// does a multiplication cost on the way?
#include "stream.hpp"

namespace {
constexpr int together = 8;  // loads of a thread, as in `stream`

__global__ __launch_bounds__(tile_block.x, 1) void copy(const uint4* __restrict__ in, uint4* __restrict__ out,
                                                        std::uint32_t tiles, std::uint32_t turns) {
  for_tiles<std::int64_t{tile_block.x} * together>(tiles, turns, [&](std::int64_t first) {
    uint4 a[together];
#pragma unroll
    for (int i = 0; i < together; ++i) a[i] = __ldcg(&in[first + std::int64_t{tile_block.x} * i]);
#pragma unroll
    for (int i = 0; i < together; ++i) out[first + std::int64_t{tile_block.x} * i] = a[i];
  });
}

void launch_copy(unsigned blocks, cudaStream_t stream, const uint4* in, uint4* out, std::uint32_t* /*sums*/,
                 std::uint32_t tiles, std::uint32_t turns) {
  copy<<<blocks, tile_block, 0, stream>>>(in, out, tiles, turns);
}

constexpr Traffic copying{
    .inputs = 1, .outputs = 1, .requests = together, .launch = launch_copy, .multiplier = 1};
}  // namespace

void weft::register_steps() {
  Variant made = bandwidth("plain-copy", {}, copying, a_block_for_each_tile);
  made.kind = Kind::experiment;
  made.curve = true;
  made.measured = working_sets();
  add(std::move(made));
}
