#pragma once

/// @file
/// The loops of the steps that measure a bandwidth. They go past the L1, which keeps what a multiprocessor
/// meets again.

#include "tiles.hpp"

namespace weft {

// [tiles]
/// For each tile of this block: calls `take` with the place of this thread's first vector of four words.
/// @tparam size of a tile, in vectors
template <std::int64_t size, typename Take>
__device__ void for_tiles(std::uint32_t tiles, std::uint32_t turns, const Take& take) {
  const std::uint32_t step = gridDim.x % tiles;
  std::uint32_t tile = blockIdx.x % tiles;
#pragma unroll 1
  for (std::uint32_t turn = blockIdx.x; turn < turns; turn += gridDim.x) {
    take(tile * size + threadIdx.x);
    tile += step;
    if (tile >= tiles) tile -= tiles;
  }
}
// [tiles]

// [read]
/// @tparam together loads of a thread that are on their way at a time
/// @param sums takes the sum of all words that a warp reads
template <int together>
__global__ __launch_bounds__(tile_block.x, 1) void read(const uint4* __restrict__ in,
                                                        std::uint32_t* __restrict__ sums, std::uint32_t tiles,
                                                        std::uint32_t turns) {
  std::uint32_t sum = 0;
  for_tiles<std::int64_t{tile_block.x} * together>(tiles, turns, [&](std::int64_t first) {
    uint4 found[together];
#pragma unroll
    for (int i = 0; i < together; ++i) found[i] = __ldcg(&in[first + std::int64_t{tile_block.x} * i]);
#pragma unroll
    for (const uint4 one : found) sum += one.x + one.y + one.z + one.w;
  });
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  const std::int64_t thread = std::int64_t{blockIdx.x} * tile_block.x + threadIdx.x;
  if (thread % 32 == 0) sums[thread / 32] = sum;
}
// [read]

/// Each word becomes its own number.
template <int together>
__global__ __launch_bounds__(tile_block.x, 1) void write(uint4* __restrict__ out, std::uint32_t tiles,
                                                         std::uint32_t turns) {
  for_tiles<std::int64_t{tile_block.x} * together>(tiles, turns, [&](std::int64_t first) {
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const std::int64_t index = first + std::int64_t{tile_block.x} * i;
      const auto word = static_cast<std::uint32_t>(4 * index);
      out[index] = {word, word + 1, word + 2, word + 3};
    }
  });
}

template <int together>
__global__ __launch_bounds__(tile_block.x, 1) void scale(const uint4* __restrict__ in,
                                                         uint4* __restrict__ out, std::uint32_t tiles,
                                                         std::uint32_t turns) {
  for_tiles<std::int64_t{tile_block.x} * together>(tiles, turns, [&](std::int64_t first) {
    uint4 a[together];
#pragma unroll
    for (int i = 0; i < together; ++i) a[i] = __ldcg(&in[first + std::int64_t{tile_block.x} * i]);
#pragma unroll
    for (int i = 0; i < together; ++i) {
      out[first + std::int64_t{tile_block.x} * i] = {factor * a[i].x, factor * a[i].y, factor * a[i].z,
                                                     factor * a[i].w};
    }
  });
}

template <int together>
void launch_read(unsigned blocks, cudaStream_t stream, const uint4* in, uint4* /*out*/, std::uint32_t* sums,
                 std::uint32_t tiles, std::uint32_t turns) {
  read<together><<<blocks, tile_block, 0, stream>>>(in, sums, tiles, turns);
}

template <int together>
void launch_write(unsigned blocks, cudaStream_t stream, const uint4* /*in*/, uint4* out,
                  std::uint32_t* /*sums*/, std::uint32_t tiles, std::uint32_t turns) {
  write<together><<<blocks, tile_block, 0, stream>>>(out, tiles, turns);
}

template <int together>
void launch_scale(unsigned blocks, cudaStream_t stream, const uint4* in, uint4* out, std::uint32_t* /*sums*/,
                  std::uint32_t tiles, std::uint32_t turns) {
  scale<together><<<blocks, tile_block, 0, stream>>>(in, out, tiles, turns);
}

template <int together>
inline constexpr Traffic reading{
    .inputs = 1, .outputs = 0, .requests = together, .launch = launch_read<together>};

template <int together>
inline constexpr Traffic writing{
    .inputs = 0, .outputs = 1, .requests = together, .launch = launch_write<together>};

template <int together>
inline constexpr Traffic scaling{
    .inputs = 1, .outputs = 1, .requests = together, .launch = launch_scale<together>};

/// From what the L2 holds to what it holds little of: mebibytes, and passes that make a gibibyte of them,
/// which takes long beside a launch.
inline List<Shape> working_sets() {
  List<Shape> shapes;
  for (const std::int64_t mebibytes : {1, 4, 8, 16, 24, 32, 40, 48, 64, 128, 512, 2048}) {
    shapes.push_back({mebibytes, max(std::int64_t{1}, 1024 / mebibytes)});
  }
  return shapes;
}

}  // namespace weft
