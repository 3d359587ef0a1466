// Split-K: several blocks share the depth of a tile, and hand their sums over through memory.
//
// Exercise: The step quadrants computes a 512 x 512 product with 16 blocks, and 116 multiprocessors have
// nothing to do. Predict how much faster the product can become at a depth of 65,536 if eight blocks share
// the depth of each tile. Then write it.
#include <algorithm>

#include "fours.hpp"
#include "problem.hpp"

namespace {
constexpr int tile = 128;
constexpr int depth = 8;
constexpr int pitch = tile + 4;  // as in the strided step: the eight rows begin in eight banks
constexpr int half = tile / 2;
constexpr int side = 8;  // results of a thread, down and across: four in each half
constexpr int results = side * side;
constexpr dim3 block{tile / side, tile / side};
constexpr int slices = 8;  // of the depth, a block each

// [kernel]
/// Writes the sums over a slice of the depth to `all_sums`, which has a matrix like C for each slice.
__global__ void __launch_bounds__(block.x* block.y)
    sgemm_split_k(int m, int n, int k, const float* __restrict__ a, std::int64_t lda,
                  const float* __restrict__ b, std::int64_t ldb, float* __restrict__ all_sums) {
  __shared__ alignas(16) float tile_a[depth][pitch];
  __shared__ alignas(16) float tile_b[depth][tile];
  const int x = 4 * threadIdx.x;
  const int y = 4 * threadIdx.y;
  const int thread = threadIdx.y * block.x + threadIdx.x;
  const int slice = static_cast<int>(block_y() % slices);
  const int first_row = static_cast<int>(block_y() / slices) * tile;
  const int first_column = static_cast<int>(block_x()) * tile;
  const int row_of_a = thread / depth;  // a warp reads eight floats of each of four rows of A
  const int column_of_a = thread % depth;
  const int row_read = thread / 32;  // and a row of B's tile, 32 floats at a time
  const int column_read = thread % 32;
  const float* const from_a = a + (first_row + row_of_a) * lda + column_of_a;
  const float* const from_b = b + row_read * ldb + first_column + column_read;

  const int steps = (k + depth - 1) / depth;
  const int begin = steps * slice / slices * depth;
  const int end = min(k, steps * (slice + 1) / slices * depth);
  float sums[side][side] = {};
  for (int first = begin; first < end; first += depth) {
    const bool has_row = first + row_read < k;
#pragma unroll
    for (int i = 0; i < tile; i += 32) {
      const int column = column_read + i;
      const bool has_a = first + column_of_a < k && first_row + row_of_a + i < m;
      tile_a[column_of_a][row_of_a + i] = has_a ? from_a[i * lda + first] : 0;
      tile_b[row_read][column] = has_row && first_column + column < n ? from_b[first * ldb + i] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float of_a[side];
      float of_b[side];
      load_four(of_a, &tile_a[l][y]);
      load_four(of_a + 4, &tile_a[l][half + y]);
      load_four(of_b, &tile_b[l][x]);
      load_four(of_b + 4, &tile_b[l][half + x]);
#pragma unroll
      for (int i = 0; i < side; ++i) {
#pragma unroll
        for (int j = 0; j < side; ++j) sums[i][j] += of_a[i] * of_b[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < side; ++i) {
#pragma unroll
    for (int j = 0; j < side; ++j) {
      const int row = first_row + i / 4 * half + y + i % 4;
      const int column = first_column + j / 4 * half + x + j % 4;
      if (row < m && column < n) all_sums[(std::int64_t{slice} * m + row) * n + column] = sums[i][j];
    }
  }
}

/// Adds the slices' sums of each element in a fixed order.
__global__ void add_slices(int m, int n, float alpha, const float* __restrict__ all_sums, float beta,
                           float* __restrict__ c, std::int64_t ldc) {
  const std::int64_t elements = std::int64_t{m} * n;
  const std::int64_t element = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (element >= elements) return;
  float sum = 0;
  for (int slice = 0; slice < slices; ++slice) sum += all_sums[slice * elements + element];
  update(&c[element / n * ldc + element % n], alpha, sum, beta);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.n, std::int64_t{slices} * tile * blocks_over(p.m, tile), {tile, tile});
  sgemm_split_k<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.a, p.lda, p.b, p.ldb, p.workspace);
  constexpr int threads = 256;
  const auto blocks = static_cast<unsigned>((std::int64_t{p.m} * p.n + threads - 1) / threads);
  add_slices<<<blocks, threads, 0, stream>>>(p.m, p.n, p.alpha, p.workspace, p.beta, p.c, p.ldc);
}

std::int64_t workspace(std::int64_t m, std::int64_t n, std::int64_t) { return slices * m * n; }
// [launch]

model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / results / model::warp_size;
  const std::int64_t tiles = k / depth;
  const auto lanes = [](int lane) { return lane; };
  return model::Prediction{}
      .global_load(warps * tiles * tile / 32, 4, [&](int lane) { return lane / depth * k + lane % depth; })
      .global_load(warps * tiles * tile / 32, 4, lanes)
      .shared_store(warps * tiles * tile / 32, 4,
                    [](int lane) { return lane % depth * pitch + lane / depth; })
      .shared_store(warps * tiles * tile / 32, 4, lanes)
      .shared_load(2 * warps * k, 16, [](int lane) { return lane / block.x; })
      .shared_load(2 * warps * k, 16, [](int lane) { return lane % block.x; })
      .global_store(warps * results * slices, 4,
                    [&](int lane) { return 4 * (n * (lane / block.x) + lane % block.x); })
      .global_load(m * n * slices / model::warp_size, 4, lanes)
      .global_store(m * n / model::warp_size, 4, lanes);
}
}  // namespace

void weft::register_steps() {
  add_product("split-k", tile_axis(tile, tile, depth), launch, predict, {.workspace = workspace});
}

TEST_CASE(
    "the multiplications cost what they cost undivided, and each slice's sum is stored and loaded once") {
  with_counts({128, 128, 128}, [](const model::Metrics& counted) {
    const model::Metrics predicted = predict(128, 128, 128);
    for (const auto& [metric, value] : predicted) CHECK(counted[metric] == value);
  });
}
