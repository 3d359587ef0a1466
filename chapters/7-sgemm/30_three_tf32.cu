// Tensor cores without losing FP32: each factor is split into two tf32, and three products are added up.
#include "accuracy.hpp"
#include "boxed.hpp"
#include "check/step.hpp"
#include "tensor_cores.hpp"
#include "tiled.hpp"

namespace {
using namespace weft::hopper;

constexpr int rows = 128;
constexpr int columns = 128;
constexpr int depth = 32;
constexpr int stages = 3;

constexpr int multiplying_warps = 8;
constexpr int splitting_warps = 3;
constexpr int threads_in_all = 32 * multiplying_warps + 128;
constexpr int registers_to_multiply = 208;
constexpr int registers_to_split = 88;

/// A and B as they arrive, A swizzled; and B's columns side by side along the depth, in two parts, swizzled
/// likewise.
struct Stage {
  float a[rows][depth];
  float b[depth][columns];
  unsigned big[columns][depth];
  unsigned small[columns][depth];
};
constexpr int shared_bytes = stages * sizeof(Stage) + box_alignment;

struct Barriers {
  TransferBarrier arrived[stages], split[stages], left[stages];
};

/// Where the swizzle puts word k of a row of 32.
__host__ __device__ constexpr int swizzled(int row, int k) { return (k / 4 ^ row % 8) * 4 + k % 4; }

// [split-b]
/// Three warps turn and split each arrived piece of B: a lane takes four numbers of a column.
__device__ void split_b(Stage* stage, Barriers& barriers, int tiles, int steps, int warp, int lane) {
  constexpr int fours = depth / 4;
  Ring<stages> ring;
  for (int left = tiles * steps; left > 0; --left, ring.advance()) {
    wait(barriers.arrived[ring.slot], ring.parity);
    Stage& at = stage[ring.slot];
#pragma unroll 2
    for (int unit = warp; unit < columns / 32 * fours; unit += splitting_warps) {
      const int column = unit / fours * 32 + lane;
      const int k = unit % fours * 4;
      const Split parts[4] = {split(at.b[k][column]), split(at.b[k + 1][column]), split(at.b[k + 2][column]),
                              split(at.b[k + 3][column])};
      const int to = swizzled(column, k);
      *reinterpret_cast<uint4*>(&at.big[column][to]) = {parts[0].big, parts[1].big, parts[2].big,
                                                        parts[3].big};
      *reinterpret_cast<uint4*>(&at.small[column][to]) = {parts[0].small, parts[1].small, parts[2].small,
                                                          parts[3].small};
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // for the tensor cores to see
    __syncwarp();
    if (lane == 0) arrive(barriers.split[ring.slot]);
  }
}
// [split-b]

// [multiply-stage]
/// Adds what a stage holds: its products are summed up by the tensor cores, which cut what does not fit, and
/// only these short sums are added to the long ones, with rounding.
__device__ void multiply_stage(float (&sums)[sums_of_product], const Stage& stage, int warp, int lane) {
  float part[sums_of_product];
  unsigned big[depth / 8][4];
  unsigned small[depth / 8][4];
#pragma unroll
  for (int step = 0; step < depth / 8; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = warp * 16 + i % 2 * 8 + lane / 4;
      const Split parts = split(stage.a[row][swizzled(row, step * 8 + i / 2 * 4 + lane % 4)]);
      big[step][i] = parts.big;
      small[step][i] = parts.small;
    }
  }
  constexpr unsigned bytes_of_step = 8 * sizeof(unsigned);
  begin_products();
#pragma unroll
  for (int step = 0; step < depth / 8; ++step) {
    const std::uint64_t b_big = descriptor(shared_address(stage.big) + step * bytes_of_step);
    const std::uint64_t b_small = descriptor(shared_address(stage.small) + step * bytes_of_step);
    multiply(part, small[step], b_big, step > 0);
    multiply(part, big[step], b_small, true);
    multiply(part, big[step], b_big, true);
  }
  end_products();
  wait_for_products();
#pragma unroll
  for (int i = 0; i < sums_of_product; ++i) sums[i] += part[i];
}
// [multiply-stage]

// [store]
/// The row and column, in its tile, of a thread's sum i.
__device__ int row_of(int warp, int lane, int i) { return warp * 16 + i / 2 % 2 * 8 + lane / 4; }
__device__ int column_of(int lane, int i) { return i / 4 * 8 + lane % 4 * 2 + i % 2; }

/// What is infinite has no two parts: infinity times a small part of 0 is no number, where infinity times the
/// whole is infinite. So a thread whose sums are not all finite computes them again, the plain way.
__device__ float plain_sum(const Sgemm& p, int row, int column) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < p.k; ++k) sum = fmaf(p.a[row * p.lda + k], p.b[k * p.ldb + column], sum);
  return sum;
}

__device__ void store(const Sgemm& p, TileOrder::Tile tile, const float (&sums)[sums_of_product], int warp,
                      int lane) {
  bool finite = true;
#pragma unroll
  for (const float sum : sums) finite = finite && isfinite(sum);
  if (finite) {
    const bool by_pairs =
        p.beta == 0 && p.ldc % 2 == 0 && reinterpret_cast<std::uintptr_t>(p.c) % sizeof(float2) == 0;
#pragma unroll
    for (int i = 0; i < sums_of_product; i += 2) {
      const int row = tile.first_row + row_of(warp, lane, i);
      const int column = tile.first_column + column_of(lane, i);
      if (row >= p.m || column >= p.n) continue;
      float* const to = &p.c[row * p.ldc + column];
      if (by_pairs && column + 1 < p.n) {
        *reinterpret_cast<float2*>(to) = {p.alpha * sums[i], p.alpha * sums[i + 1]};
      } else {
        update(to, p.alpha, sums[i], p.beta);
        if (column + 1 < p.n) update(to + 1, p.alpha, sums[i + 1], p.beta);
      }
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < sums_of_product; ++i) {
      const int row = tile.first_row + row_of(warp, lane, i);
      const int column = tile.first_column + column_of(lane, i);
      if (row < p.m && column < p.n)
        update(&p.c[row * p.ldc + column], p.alpha, plain_sum(p, row, column), p.beta);
    }
  }
}
// [store]

// [kernel]
__global__ __launch_bounds__(threads_in_all, 1) void sgemm_three_tf32(const __grid_constant__ CUtensorMap a,
                                                                      const __grid_constant__ CUtensorMap b,
                                                                      Sgemm p) {
  extern __shared__ char raw[];
  __shared__ Barriers barriers;
  auto* const stage = first_aligned<Stage>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder tiles(p.m, p.n, rows, columns);
  const int steps = (p.k + depth - 1) / depth;

  if (threadIdx.x == 0) {
    for (TransferBarrier& barrier : barriers.arrived) initialize(barrier, 1);
    for (TransferBarrier& barrier : barriers.split) initialize(barrier, splitting_warps);
    for (TransferBarrier& barrier : barriers.left) initialize(barrier, multiplying_warps);
    publish_barriers();
  }
  __syncthreads();

  if (warp >= multiplying_warps) {
    give_registers<registers_to_split>();
    if (warp > multiplying_warps) {
      const int own_tiles =
          (tiles.count() - 1 - static_cast<int>(blockIdx.x)) / static_cast<int>(gridDim.x) + 1;
      return split_b(stage, barriers, own_tiles, steps, warp - multiplying_warps - 1, lane);
    }
    if (lane != 0) return;
    Ring<stages> ring;
    for (int number = blockIdx.x; number < tiles.count(); number += gridDim.x) {
      const TileOrder::Tile tile = tiles[number];
      for (int step = 0; step < steps; ++step, ring.advance()) {
        TransferBarrier& arrival = barriers.arrived[ring.slot];
        wait(barriers.left[ring.slot], ring.parity ^ 1);
        arrive_expecting(arrival, sizeof(Stage::a) + sizeof(Stage::b));
        load_box(stage[ring.slot].a, a, tile.first_row, step * depth, arrival);
        load_box(stage[ring.slot].b, b, step * depth, tile.first_column, arrival);
      }
    }
    return;
  }

  take_registers<registers_to_multiply>();
  Ring<stages> ring;
  for (int number = blockIdx.x; number < tiles.count(); number += gridDim.x) {
    float sums[sums_of_product] = {};
    for (int step = 0; step < steps; ++step, ring.advance()) {
      wait(barriers.arrived[ring.slot], ring.parity);
      wait(barriers.split[ring.slot], ring.parity);
      multiply_stage(sums, stage[ring.slot], warp, lane);
      __syncwarp();
      if (lane == 0) arrive(barriers.left[ring.slot]);
    }
    store(p, tiles[number], sums, warp, lane);
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (!has_boxed_factors(p)) return tiled::launch<0>(stream, p);
  const CUtensorMap a = boxes_of(p.a, p.m, p.k, p.lda, {.rows = rows});
  const CUtensorMap b = boxes_of(p.b, p.k, p.n, p.ldb, {depth, columns, false});
  allow_shared(sgemm_three_tf32, shared_bytes);
  const int blocks = std::min(TileOrder(p.m, p.n, rows, columns).count(), multiprocessors());
  sgemm_three_tf32<<<blocks, threads_in_all, shared_bytes, stream>>>(a, b, p);
}
// [launch]

// [predict]
/// The tensor cores read shared memory themselves; what is counted is what warps ask for.
model::Metrics predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr int fours = columns * depth / 4 / model::warp_size;
  const std::int64_t tiles = m / rows * (n / columns);
  const std::int64_t stages_of_c = tiles * (k / depth);
  return model::Prediction{}
      .shared_load(stages_of_c * fours * 4, 4, [](int lane) { return lane; })
      .shared_store(stages_of_c * fours * 2, 16,
                    [](int lane) { return (lane * depth + swizzled(lane, 0)) / 4; })
      .shared_load(stages_of_c * rows * depth / model::warp_size, 4,
                   [](int lane) { return lane / 4 * depth + swizzled(lane / 4, lane % 4); })
      .global_store(tiles * multiplying_warps * sums_of_product / 2, 8,
                    [n](int lane) { return lane / 4 * (n / 2) + lane % 4; });
}
// [predict]

// [step]
const Step step{"three-tf32",
                tile_parameter(rows, columns, depth),
                launch,
                predict,
                {.workspace = tiled::workspace, .everywhere = true}};
// [step]
}  // namespace

TEST_SUITE("device") {
  // [accuracy]
  TEST_CASE("three products of tf32 are no further from the truth than a sum in float32") {
    try {
      for (const Inputs inputs : {Inputs::even, Inputs::spread}) {
        constexpr int rows_and_columns = 48;
        for (const int depth : {256, 4096}) {
          const auto error = [&](const Launch& way) {
            return relative_error(way, tiled::workspace, rows_and_columns, rows_and_columns, depth, inputs);
          };
          CHECK(error(launch) < error(tiled::launch<0>));
        }
      }
    } catch (const Unavailable&) {
      return;  // the checks of shapes say so
    }
  }
  // [accuracy]
}
