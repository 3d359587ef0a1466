#pragma once

/// @file
/// C by tensor cores: each factor is split into two tf32, and three products are added up.

#include "boxed.hpp"
#include "tensor_cores.hpp"
#include "tiled.hpp"

namespace weft::three_tf32 {
using namespace hopper;

inline constexpr int rows = 128;
inline constexpr int columns = 128;
inline constexpr int depth = 32;
inline constexpr int stages = 4;
inline constexpr int box = 32;  ///< columns of B that are 128 bytes wide, and swizzled

inline constexpr int multiplying_warps = 8;
inline constexpr int splitting_warps = 3;
inline constexpr int threads_in_all = 32 * multiplying_warps + 128;
inline constexpr int registers_to_multiply = 232;
inline constexpr int registers_to_split = 40;

/// A and B as they arrive, swizzled; and what the tensor cores will cut off A, in the same places.
struct Stage {
  float a[rows][depth];
  float b[columns / box][depth][box];
  unsigned small[rows][depth];
};
inline constexpr int shared_bytes = stages * sizeof(Stage) + box_alignment;

struct Barriers {
  TransferBarrier arrived[stages], split[stages], left[stages];
};

// [split-a]
/// Three warps compute the small part of each arrived piece of A. The big one needs nobody: it is A itself.
__device__ inline void split_a(Stage* stage, Barriers& barriers, int steps_in_all, int warp, int lane) {
  constexpr int fours = rows * depth / 4;
  Ring<stages> ring;
  for (int left = steps_in_all; left > 0; --left, ring.advance()) {
    Stage& at = stage[ring.slot];
    const auto* const from = reinterpret_cast<const float4*>(at.a);
    auto* const to = reinterpret_cast<uint4*>(at.small);
    wait(barriers.arrived[ring.slot], ring.parity);
#pragma unroll 4
    for (int i = warp * 32 + lane; i < fours; i += 32 * splitting_warps) {
      const float4 four = from[i];
      to[i] = {cut_off(four.x), cut_off(four.y), cut_off(four.z), cut_off(four.w)};
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // for the tensor cores to see
    __syncwarp();
    if (lane == 0) arrive(barriers.split[ring.slot]);
  }
}
// [split-a]

// [column-of]
/// The column of C, in its tile, that a lane has in row lane / 4 of the product, or in the eighth below it.
/// Any order of the columns would do. In this order the 32 numbers of B that a warp loads at once lie in 32
/// banks.
__host__ __device__ constexpr int column_of(int warp, int lane, int half) {
  return warp / 2 * box + lane / 16 * 16 + (warp % 2 * 2 + half) * 4 + lane / 4 % 4;
}

/// Where the swizzle puts number `column` of row k of a box.
__host__ __device__ constexpr int swizzled(int k, int column) {
  return (column / 4 ^ k % 8) * 4 + column % 4;
}
// [column-of]

// [fragments]
/// A warp's part of a stage of B: 16 columns, in two parts.
struct Fragments {
  unsigned big[depth / 8][4];
  unsigned small[depth / 8][4];

  __device__ void load(const Stage& stage, int warp, int lane) {
#pragma unroll
    for (int step = 0; step < depth / 8; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int column = column_of(warp, lane, i % 2);
        const int k = step * 8 + i / 2 * 4 + lane % 4;
        const Split parts = split(stage.b[column / box][k][swizzled(k, column % box)]);
        big[step][i] = parts.big;
        small[step][i] = parts.small;
      }
    }
  }

  /// Becomes `other`, once the products that read these registers have been waited for.
  __device__ void become(const Fragments& other, unsigned none) {
#pragma unroll
    for (int step = 0; step < depth / 8; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        replace(big[step][i], other.big[step][i], none);
        replace(small[step][i], other.small[step][i], none);
      }
    }
  }
};
// [fragments]

// [queue]
/// Queues the three products of each step of a stage: columns of B times rows of A, the transpose of C. The
/// tensor cores do not round a sum, they cut it: the larger the sum, the more they cut off. So the small
/// products come before the first big one.
/// @tparam small_first false: for comparison, in the order of the steps
template <bool small_first>
__device__ void queue_products(float (&part)[sums_of_product], const Fragments& b, const Stage& stage) {
  constexpr unsigned bytes_of_step = 8 * sizeof(float);
  const auto big = [&](int step) { return descriptor(shared_address(stage.a) + step * bytes_of_step); };
  const auto small = [&](int step) { return descriptor(shared_address(stage.small) + step * bytes_of_step); };
  begin_products();
#pragma unroll
  for (int step = 0; step < depth / 8; ++step) {
    multiply(part, b.small[step], big(step), step > 0);
    multiply(part, b.big[step], small(step), true);
    if constexpr (!small_first) multiply(part, b.big[step], big(step), true);
  }
  if constexpr (small_first) {
#pragma unroll
    for (int step = 0; step < depth / 8; ++step) multiply(part, b.big[step], big(step), true);
  }
  end_products();
}
// [queue]

// [store]
/// The row of C, in its tile, of a thread's sum i, and which of its two columns it lies in.
__device__ inline int row_of(int lane, int i) { return i / 4 * 8 + lane % 4 * 2 + i % 2; }
__device__ inline int half_of(int i) { return i / 2 % 2; }

/// What is infinite has no two parts: infinity times a small part of 0 is no number, where infinity times the
/// whole is infinite. So a thread whose sums are not all finite computes them again, the plain way.
__device__ inline float plain_sum(const Sgemm& p, int row, int column) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < p.k; ++k) sum = fmaf(p.a[row * p.lda + k], p.b[k * p.ldb + column], sum);
  return sum;
}

__device__ inline void store(const Sgemm& p, TileOrder::Tile tile, const float (&sums)[sums_of_product],
                             int warp, int lane) {
  bool finite = true;
#pragma unroll
  for (const float sum : sums) finite = finite && isfinite(sum);
  if (finite) {
#pragma unroll
    for (int i = 0; i < sums_of_product; ++i) {
      const int row = tile.first_row + row_of(lane, i);
      const int column = tile.first_column + column_of(warp, lane, half_of(i));
      if (row < p.m && column < p.n) update(&p.c[row * p.ldc + column], p.alpha, sums[i], p.beta);
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < sums_of_product; ++i) {
      const int row = tile.first_row + row_of(lane, i);
      const int column = tile.first_column + column_of(warp, lane, half_of(i));
      if (row < p.m && column < p.n)
        update(&p.c[row * p.ldc + column], p.alpha, plain_sum(p, row, column), p.beta);
    }
  }
}
// [store]

// [kernel]
template <bool small_first>
static __global__ __launch_bounds__(threads_in_all,
                                    1) void sgemm_three_tf32(const __grid_constant__ CUtensorMap a,
                                                             const __grid_constant__ CUtensorMap b, Sgemm p) {
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
      return split_a(stage, barriers, own_tiles * steps, warp - multiplying_warps - 1, lane);
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
        for (int i = 0; i < columns / box; ++i) {
          load_box(stage[ring.slot].b[i], b, step * depth, tile.first_column + i * box, arrival);
        }
      }
    }
    return;
  }

  take_registers<registers_to_multiply>();
  const unsigned none = static_cast<unsigned>(p.k) >> 31;
  Ring<stages> ring;
  Fragments fragments;  // NOLINT(cppcoreguidelines-pro-type-member-init): loaded below
  wait(barriers.arrived[0], 0);
  fragments.load(stage[0], warp, lane);
  for (int number = blockIdx.x; number < tiles.count(); number += gridDim.x) {
    const bool is_last = number + static_cast<int>(gridDim.x) >= tiles.count();
    float sums[sums_of_product] = {};
    for (int step = 0; step < steps; ++step) {
      float part[sums_of_product];  // the tensor cores cut what does not fit: only short sums are theirs
      const int slot = ring.slot;
      wait(barriers.split[slot], ring.parity);
      queue_products<small_first>(part, fragments, stage[slot]);
      ring.advance();
      Fragments following{};
      if (!is_last || step < steps - 1) {
        wait(barriers.arrived[ring.slot], ring.parity);
        following.load(stage[ring.slot], warp, lane);
      }
      wait_for_products(part);
      __syncwarp();
      if (lane == 0) arrive(barriers.left[slot]);
#pragma unroll
      for (int i = 0; i < sums_of_product; ++i) sums[i] += part[i];
      fragments.become(following, none);
    }
    store(p, tiles[number], sums, warp, lane);
  }
}
// [kernel]

// [launch]
/// A product that is less deep is left to the float32 kernel.
inline constexpr int least_depth = 128;

template <bool small_first = true>
void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (p.k < least_depth || !has_boxed_factors(p)) return tiled::launch<0>(stream, p);
  const CUtensorMap a = boxes_of(p.a, p.m, p.k, p.lda, {.rows = rows});
  const CUtensorMap b = boxes_of(p.b, p.k, p.n, p.ldb, {.rows = depth});
  allow_shared(sgemm_three_tf32<small_first>, shared_bytes);
  const int blocks = min(TileOrder(p.m, p.n, rows, columns).count(), multiprocessors());
  sgemm_three_tf32<small_first><<<blocks, threads_in_all, shared_bytes, stream>>>(a, b, p);
}
// [launch]

}  // namespace weft::three_tf32
