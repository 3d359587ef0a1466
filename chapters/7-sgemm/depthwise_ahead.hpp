#pragma once

/// @file
/// Multiplying stages of A and B as they lie in memory, A along the depth, while the next factors are on
/// their way to registers.

#include "depthwise.hpp"

namespace weft::hopper {

inline constexpr int stages = 4;
using Stages = Stage[stages];

/// When a stage may be read, and when it may be written again.
struct StepBarriers {
  TransferBarrier arrived[stages];
  TransferBarrier left[stages];
};

/// Steps that a thread holds of a row of A: one load.
inline constexpr int together = 4;

// [order]
/// The column that a row of products comes to at some place of its way, to or fro. Sums are in registers of
/// the bank in which the numbers of B are not. So a row may begin and end only with columns whose number of B
/// is in the bank of the number of A.
__device__ constexpr int column_at(int place, int bank_of_a) {
  constexpr int columns[2][thread_columns] = {{0, 1, 3, 2, 4, 5, 7, 6, 8, 9, 11, 10, 12, 13, 15, 14},
                                              {1, 0, 2, 3, 5, 4, 6, 7, 9, 8, 10, 11, 13, 12, 14, 15}};
  return columns[bank_of_a][place];
}

/// Adds the products of one of the steps that are held, and does something behind each row.
__device__ inline void add_step(Sums& sums, const float (&a)[thread_rows][together], int step,
                                const float (&b)[thread_columns], auto behind_row) {
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) {
#pragma unroll
    for (int place = 0; place < thread_columns; ++place) {
      const int j = column_at(i % 2 == 0 ? place : thread_columns - 1 - place, step % 2);
      sums[i][j] = fmaf(a[i][step], b[j], sums[i][j]);
    }
    behind_row(i);
  }
}
// [order]

// [multiply]
/// Takes this block's stages one after the other. When the four steps held of a row of A are used, the next
/// four take their place. At the end of a stage or of a tile, they come from the next stage. So one more
/// stage must arrive than is multiplied.
class DepthwiseMultiplier {
 public:
  __device__ DepthwiseMultiplier(const Stages& from, StepBarriers& barriers, int warp, int lane)
      : first_{shared_address(&from[0].a[row_of(warp, lane, 0)][0]) + lane_down(lane) * four_bytes,
               shared_address(&from[0].b[0][column_of(warp, lane, 0)])},
        barriers_(barriers),
        lane_(lane),
        at_(first_) {
    wait(barriers.arrived[0], 0);
#pragma unroll
    for (int i = 0; i < thread_rows; ++i) load_steps(i, at_.a);
    load_row(b_[0], at_.b);
  }

  /// Adds what the next `steps` stages hold. The loop inside turns between the first of four steps and the
  /// others: so loads of A and the products that need them stand in one turn, and the compiler sees how far
  /// apart they have to be.
  __device__ void add(Sums& sums, int steps) {
#pragma unroll 1
    for (; steps > 0; --steps) {
      TransferBarrier& left = barriers_.left[ring_.slot];
      ring_.advance();
      wait(barriers_.arrived[ring_.slot], ring_.parity);
      add_first(sums);
#pragma unroll 1
      for (unsigned four = 1; four < tile_depth / together; ++four) {
        add_others(sums, {at_.a ^ four * four_bytes, at_.b + together * row_of_b});
        add_first(sums);
      }
      const unsigned in_ring = ring_.slot * sizeof(Stage);
      at_.a = first_.a + in_ring;
      add_others(sums, {at_.a, first_.b + in_ring});
      __syncwarp();
      if (lane_ == 0) arrive(left);
    }
  }

 private:
  static constexpr unsigned four_bytes = together * sizeof(float);
  static constexpr unsigned rows_apart = lanes_down * sizeof(Stage::a[0]);
  static constexpr unsigned row_of_b = sizeof(Stage::b[0]);

  /// Where four steps of a thread's rows of A begin, and its part of a row of B.
  struct Place {
    unsigned a, b;
  };

  __device__ void load_steps(int i, unsigned from) {
    const float4 four = load_four(from + i * rows_apart);
    a_[i][0] = four.x;
    a_[i][1] = four.y;
    a_[i][2] = four.z;
    a_[i][3] = four.w;
  }

  __device__ void add_first(Sums& sums) {
    load_row(b_[1], at_.b + row_of_b);
    add_step(sums, a_, 0, b_[0], [](int) {});
  }

  __device__ void add_others(Sums& sums, Place next) {
    load_row(b_[0], at_.b + 2 * row_of_b);
    add_step(sums, a_, 1, b_[1], [](int) {});
    load_row(b_[1], at_.b + 3 * row_of_b);
    add_step(sums, a_, 2, b_[0], [](int) {});
    load_row(b_[0], next.b);
    add_step(sums, a_, 3, b_[1], [&](int i) { load_steps(i, next.a); });
    at_.b = next.b;
  }

  Place first_;
  StepBarriers& barriers_;
  int lane_;
  Ring<stages> ring_;
  Place at_;
  float a_[thread_rows][together];
  float b_[2][thread_columns];
};
// [multiply]

}  // namespace weft::hopper
