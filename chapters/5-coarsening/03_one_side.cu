// All tiles of B lie side by side, so that a thread takes each element of A once for all of its results.
#include "product.hpp"

namespace {
constexpr std::int64_t tile = 32;

/// Bytes of a block's tiles.
constexpr int shared_bytes(int factor) {
  return static_cast<int>((1 + factor) * tile * tile * std::int64_t{sizeof(float)});
}

// [kernel]
/// @tparam factor elements of C that a thread computes, a tile apart in a row
template <int factor>
__global__ __launch_bounds__(tile* tile) void one_side(Multiplication p) {
  extern __shared__ float4 shared[];
  auto* const tile_a = reinterpret_cast<float (*)[tile]>(shared);
  auto* const tile_b = reinterpret_cast<float (*)[tile * factor]>(tile_a + tile);
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = block_y() * tile + y;
  const std::int64_t column = block_x() * tile * factor + x;
  float sums[factor] = {};
#pragma unroll 1
  for (std::int64_t first = 0; first < p.k; first += tile) {
    tile_a[y][x] = element(p.a, p.m, p.k, row, first + x);
#pragma unroll
    for (int j = 0; j < factor; ++j) {
      tile_b[y][x + j * tile] = element(p.b, p.k, p.n, first + y, column + j * tile);
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < tile; ++l) {
#pragma unroll
      for (int j = 0; j < factor; ++j) sums[j] += tile_a[y][l] * tile_b[l][x + j * tile];
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < factor; ++j) {
    if (row < p.m && column + j * tile < p.n) p.c[row * p.n + column + j * tile] = sums[j];
  }
}
// [kernel]

auto kernel_of(int factor) {
  if (factor == 1) return one_side<1>;
  if (factor == 2) return one_side<2>;
  if (factor == 4) return one_side<4>;
  return factor == 8 ? one_side<8> : one_side<16>;
}

void launch(cudaStream_t stream, const Multiplication& p, const Setting& setting) {
  const int factor = setting.number();
  const int bytes = shared_bytes(factor);
  const dim3 grid = grid_over(p.n, p.m, {static_cast<unsigned>(tile) * factor, tile});
  const auto kernel = kernel_of(factor);
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<grid, dim3{tile, tile}, static_cast<std::size_t>(bytes), stream>>>(p);
}

/// Elements of A's tile that a thread takes twice for a step, where ptxas keeps to few registers.
int taken_twice(int factor) {
  if (factor == 16) return 4;
  return factor == 8 ? 1 : 0;
}

model::Prediction predict(const Multiplication& p, const Setting& setting) {
  const std::int64_t warps = p.m * p.n / model::warp_size / setting.number();
  const std::int64_t steps = p.k / tile;
  const std::int64_t results = warps * setting.number();
  return model::Prediction{}
      .global_load(warps * steps, 4, own_lane)
      .global_load(results * steps, 4, own_lane)
      .shared_store(warps * steps, 4, own_lane)
      .shared_store(results * steps, 4, own_lane)
      .shared_load(warps * p.k / 4, 16, [](int) { return 0; })
      .shared_load(warps * steps * taken_twice(setting.number()), 4, [](int) { return 0; })
      .shared_load(results * p.k, 4, own_lane)
      .global_store(results, 4, own_lane);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("factor", {4, 1, 2, 8, 16}).settings()) {
    add_product("one-side", setting, {launch, predict});
  }
}
