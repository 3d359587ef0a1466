#pragma once

/// @file
/// What the steps for Hopper share: the tile of a block, the results of a thread in it, the order of tiles.

#include <cuda_runtime.h>

#include <cstdint>

#include "device/attribute.hpp"
#include "kernel/tma.hpp"
#include "problem.hpp"

namespace weft::hopper {

// [geometry]
inline constexpr int tile_rows = 128;
inline constexpr int tile_columns = 256;
inline constexpr int tile_depth = 32;

inline constexpr int warps_down = 2;
inline constexpr int warps = 8;  ///< of a block, that multiply
inline constexpr int threads = 32 * warps;
inline constexpr int warp_rows = tile_rows / warps_down;
inline constexpr int warp_columns = tile_columns / (warps / warps_down);
inline constexpr std::int64_t warp_elements = std::int64_t{warp_rows} * warp_columns;

inline constexpr int lanes_down = 8;  ///< of a warp: 8 lanes down, 4 across
inline constexpr int lanes_across = 4;
inline constexpr int thread_rows = warp_rows / lanes_down;
inline constexpr int thread_columns = warp_columns / lanes_across;
// [geometry]

// [lanes]
/// A lane's row and column among the 8 × 4 lanes of its warp. Lanes that are served together want few
/// different words of A and of B.
__host__ __device__ constexpr int lane_down(int lane) { return (lane & 1) | (lane >> 1 & 6); }
__host__ __device__ constexpr int lane_across(int lane) { return (lane >> 1 & 1) | (lane >> 3 & 2); }
// [lanes]

// [ring]
/// A slot of a ring, and the parity of the phase that the slot's barriers are in. The parity changes after
/// each round.
template <int slots>
struct Ring {
  int slot = 0;
  unsigned parity = 0;

  __device__ void advance() {
    if (++slot < slots) return;
    slot = 0;
    parity ^= 1;
  }
};
// [ring]

/// Where the result goes: C = alpha · sum + beta · C.
struct Output {
  float* data;
  int rows, columns;
  std::int64_t pitch;
  float alpha, beta;
};
inline Output output_of(const Sgemm& p) { return {p.c, p.m, p.n, p.ldc, p.alpha, p.beta}; }

// [order]
/// How many tiles there are, and in which order they are computed: down a column of eight tiles, then down
/// the next column. So tiles that are computed at one time share their factors in the L2.
struct TileOrder {
  int tile_rows, tile_columns;
  int down, across;

  static constexpr int group = 8;

  __host__ __device__ TileOrder(int rows, int columns, int tile_rows = hopper::tile_rows,
                                int tile_columns = hopper::tile_columns)
      : tile_rows(tile_rows),
        tile_columns(tile_columns),
        down((rows + tile_rows - 1) / tile_rows),
        across((columns + tile_columns - 1) / tile_columns) {}

  [[nodiscard]] __host__ __device__ int count() const { return down * across; }

  struct Tile {
    int first_row, first_column;
  };
  [[nodiscard]] __device__ Tile operator[](int number) const {
    const int panel = number / (group * across);
    const int in_panel = number - panel * group * across;
    const int height = min(group, down - panel * group);
    return {(panel * group + in_panel % height) * tile_rows, in_panel / height * tile_columns};
  }
};
// [order]

// [hand-over]
/// All warps of a warpgroup (four) lower or raise the number of registers that each thread has, a multiple
/// of 8.
template <int registers>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}
// [hand-over]

// [meet]
/// Waits for all warps that multiply, and for no other.
__device__ inline void meet() { asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory"); }
// [meet]

/// Four numbers of shared memory; written so that a load stays where it is put.
__device__ inline float4 load_four(unsigned address) {
  float4 four;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
               : "r"(address));
  return four;
}

/// The sums of a thread.
using Sums = float[thread_rows][thread_columns];

// [outer]
/// Adds the products of a column of A and a row of B. The columns run to and fro: a row begins with the
/// element of B with which the row before it ended.
/// @tparam first_row the row that comes first; the rows in front of it come last
template <int first_row = 0>
__device__ void add_products(Sums& sums, const float (&a)[thread_rows], const float (&b)[thread_columns]) {
#pragma unroll
  for (int place = 0; place < thread_rows; ++place) {
    const int i = (place + first_row) % thread_rows;
#pragma unroll
    for (int step = 0; step < thread_columns; ++step) {
      const int j = i % 2 == 0 ? step : thread_columns - 1 - step;
      sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
    }
  }
}
// [outer]

/// Loads a thread's groups of four numbers of a row of B; between two groups lie those of other lanes.
__device__ inline void load_row(float (&b)[thread_columns], unsigned address) {
#pragma unroll
  for (int j = 0; j < thread_columns; j += 4) {
    const float4 four = load_four(address + j * lanes_across * static_cast<unsigned>(sizeof(float)));
    b[j] = four.x;
    b[j + 1] = four.y;
    b[j + 2] = four.z;
    b[j + 3] = four.w;
  }
}

/// The column of C, in its tile, of a thread's sums j to j + 3, where j is a multiple of 4.
__host__ __device__ constexpr int column_of(int warp, int lane, int j) {
  return warp / warps_down * warp_columns + (lane_across(lane) + j / 4 * lanes_across) * 4;
}

// [store]
/// Writes a thread's sums: four at once, or one by one where C ends among the four or is not aligned.
/// @param row_of gives, for i, the row of C in its tile to which sums[i] belong
__device__ inline void store(const Output& c, TileOrder::Tile tile, const Sums& sums, int warp, int lane,
                             auto row_of) {
  const bool by_fours = c.pitch % 4 == 0 && reinterpret_cast<std::uintptr_t>(c.data) % sizeof(float4) == 0;
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) {
    const int row = tile.first_row + row_of(i);
    if (row >= c.rows) continue;
#pragma unroll
    for (int j = 0; j < thread_columns; j += 4) {
      const int column = tile.first_column + column_of(warp, lane, j);
      float* const to = &c.data[row * c.pitch + column];
      if (by_fours && column + 4 <= c.columns) {
        float4 four{c.alpha * sums[i][j], c.alpha * sums[i][j + 1], c.alpha * sums[i][j + 2],
                    c.alpha * sums[i][j + 3]};
        if (c.beta != 0) {
          const float4 old = *reinterpret_cast<const float4*>(to);
          four = {fmaf(c.beta, old.x, four.x), fmaf(c.beta, old.y, four.y), fmaf(c.beta, old.z, four.z),
                  fmaf(c.beta, old.w, four.w)};
        }
        *reinterpret_cast<float4*>(to) = four;
        continue;
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (column + k >= c.columns) continue;
        const float product = c.alpha * sums[i][j + k];
        to[k] = c.beta == 0 ? product : fmaf(c.beta, to[k], product);
      }
    }
  }
}
// [store]

// [launching]
/// The first address in dynamic shared memory that is a multiple of 1024 bytes, as boxes need it.
template <class T>
__device__ T* first_aligned(char* shared) {
  return reinterpret_cast<T*>(shared +
                              (box_alignment - shared_address(shared) % box_alignment) % box_alignment);
}

inline constexpr int multiprocessors_of_h200 = 132;  ///< of the GPU whose counts are published

/// @throws Unavailable on a card that lacks Hopper's own instructions: machine code for them runs nowhere
/// else
inline void require_hopper() {
  if (device_attribute(cudaDevAttrComputeCapabilityMajor) != 9)
    unavailable("it needs Hopper's own instructions, a card of compute capability 9.0");
}

/// Whether tensor maps describe both factors as they are.
inline bool has_boxed_factors(const Sgemm& p) {
  return p.k > 0 && has_boxes(p.a, p.m, p.k, p.lda) && has_boxes(p.b, p.k, p.n, p.ldb);
}

/// Lets a kernel have more dynamic shared memory than 48 KiB.
template <class Kernel>
void allow_shared(Kernel* kernel, int bytes) {
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}
// [launching]

// [predict-store]
/// The counts of the stores of C.
inline void predict_store(model::Prediction& prediction, std::int64_t m, std::int64_t n, int rows_of_lane) {
  const std::int64_t warps_of_c = m * n / warp_elements;
  const std::int64_t apart = rows_of_lane * (n / 4);
  prediction.global_store(warps_of_c * thread_rows * thread_columns / 4, 16,
                          [=](int lane) { return lane_down(lane) * apart + lane_across(lane); });
}
// [predict-store]

}  // namespace weft::hopper
