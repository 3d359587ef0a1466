// A is transposed during the copy into the tiles, float by float: no transpose comes before.
#include "fours.hpp"
#include "outer_product.hpp"
#include "problem.hpp"
#include "thread_copy.hpp"

namespace {
constexpr int tile = 128;        // rows and columns of C to a block
constexpr int pitch = tile + 4;  // eight columns of A begin in eight banks
constexpr int depth = 16;        // columns of A and rows of B at a time
constexpr int side = 8;  // rows and columns of C to a thread: four here, four half a warp's tile further
constexpr int warp_rows = 64;
constexpr int warp_columns = 32;
constexpr int down = warp_rows / 2;
constexpr int across = warp_columns / 2;
constexpr int threads = tile / side * (tile / side);
constexpr int blocks_per_multiprocessor = 2;  // 128 registers a thread
constexpr int stages = 3;

/// What a block multiplies at a time.
struct Tiles {
  float a[depth][pitch];
  float b[depth][tile];
};
static_assert(sizeof(Tiles) % sizeof(float4) == 0);

// [lanes]
/// Where the lanes of a warp lie, in fours: eight below each other, four beside each other. Lanes that differ
/// in their lowest bit read the same of A, lanes that differ in the next one the same of B.
__host__ __device__ constexpr int lane_row(int lane) { return lane / 2 % 8; }
__host__ __device__ constexpr int lane_column(int lane) { return lane / 16 * 2 + lane % 2; }
// [lanes]

constexpr int group = 16;  // rows of tiles that are walked through together

// [order]
/// A tile of C, by how many tiles lie above and left of it.
struct Place {
  int row, column;
};

/// The tile of a block: down the first `group` rows of tiles, column by column, then down the next ones.
__host__ __device__ constexpr Place place_of(int block, int tiles_down, int tiles_across) {
  const int first_row = block / (group * tiles_across) * group;
  const int within = block % (group * tiles_across);
  const int rows = tiles_down - first_row < group ? tiles_down - first_row : group;
  return {first_row + within % rows, within / rows};
}
// [order]

// [kernel]
template <int width>
__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void sgemm_turned_copies(
    int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
    const float* __restrict__ b, std::int64_t ldb, float beta, float* __restrict__ c, std::int64_t ldc) {
  extern __shared__ float4 shared[];  // a little more than may be declared
  auto* const tiles = reinterpret_cast<Tiles*>(shared);
  const Place place = place_of(static_cast<int>(blockIdx.x), (m + tile - 1) / tile, (n + tile - 1) / tile);
  const int first_row = place.row * tile;
  const int first_column = place.column * tile;
  TurnedCopy<tile, pitch, depth, threads> copy_a(a, lda, m, k, first_row);
  ThreadCopy<width, tile, depth, threads> copy_b(b, ldb, k, n, first_column);
  const int lane = static_cast<int>(threadIdx.x) % warpSize;
  const int warp = static_cast<int>(threadIdx.x) / warpSize;
  const int x = warp % (tile / warp_columns) * warp_columns + lane_column(lane) * 4;
  const int y = warp / (tile / warp_columns) * warp_rows + lane_row(lane) * 4;

  float sums[side][side] = {};
  const auto copy_next = [&](Tiles& to) {
    copy_a.copy(to.a);
    copy_b.copy(to.b);
  };
#pragma unroll
  for (int i = 0; i < stages - 1; ++i) {
    copy_next(tiles[i]);
    __pipeline_commit();
  }
  int stage = 0;
  int empty = stages - 1;
  for (int left = k; left > 0; left -= depth) {
    __pipeline_wait_prior(stages - 2);  // the copies of this stage are done
    __syncthreads();                    // all threads have their copies, and have read the previous stage
    if (left > (stages - 1) * depth) copy_next(tiles[empty]);
    __pipeline_commit();  // an empty group at the end, so that there are always as many
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float of_a[side];
      float of_b[side];
      load_fours<down>(of_a, &tiles[stage].a[l][y]);
      load_fours<across>(of_b, &tiles[stage].b[l][x]);
      add_outer_product(sums, of_a, of_b);
    }
    empty = stage;
    stage = stage + 1 < stages ? stage + 1 : 0;
  }
  update_fours<width, down, across>(c, ldc, m, n, first_row + y, first_column + x, alpha, sums, beta);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(blocks_over(p.m, tile) * blocks_over(p.n, tile), 1, {});
  const auto kernel = is_wide(p) ? sgemm_turned_copies<4> : sgemm_turned_copies<1>;
  constexpr int bytes = stages * sizeof(Tiles);
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<grid, threads, bytes, stream>>>(p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c,
                                           p.ldc);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / side / side / model::warp_size;
  const std::int64_t fours = std::int64_t{depth} * tile / 4 / threads;  // to a thread
  const auto four = [](int lane) { return lane; };
  const auto eight = [&](int lane) { return lane / 8 * k + lane % 8; };
  const std::int64_t runs = k / depth - (stages - 1) + 1;  // of copies: one before the loop, then one a turn
  return model::Prediction{}
      .global_load(warps * k * tile / threads, 4, eight)
      .global_load(fours * warps * k / depth, 16, four)
      .shared_load(2 * warps * k, 16, lane_row)
      .shared_load(2 * warps * k, 16, lane_column)
      .global_store(warps * side * 2, 16, [&](int lane) { return lane_row(lane) * n + lane_column(lane); })
      .skipped_shared_load(warps * runs * idle_loads);
}
// [predict]
}  // namespace

void weft::register_steps() { add_product("turned-copies", tile_axis(tile, tile, depth), launch, predict); }
