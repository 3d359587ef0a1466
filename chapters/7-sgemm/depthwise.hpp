#pragma once

/// @file
/// Multiplying a stage of A and B as they lie in memory: A along the depth, B along its rows.

#include "hopper.hpp"

namespace weft::hopper {

/// What one step along the depth needs. A is swizzled by the hardware.
struct Stage {
  float a[tile_rows][tile_depth];
  float b[tile_depth][tile_columns];
};

// [multiply]
/// Adds what one stage holds. A lies along the depth: four numbers of a row are four steps.
__device__ inline void multiply(Sums& sums, const Stage& stage, int warp, int lane) {
  const int row = warp % warps_down * warp_rows + lane_down(lane);
  const unsigned a_row = shared_address(&stage.a[row][0]);
  constexpr unsigned rows_apart = lanes_down * sizeof(stage.a[0]);
  const unsigned b_first = shared_address(&stage.b[0][column_of(warp, lane, 0)]);
#pragma unroll 1
  for (int k = 0; k < tile_depth; k += 4) {
    const unsigned piece = (k / 4 ^ row % 8) * sizeof(float4);
    float a[4][thread_rows];
#pragma unroll
    for (int i = 0; i < thread_rows; ++i) {
      const float4 four = load_four(a_row + piece + i * rows_apart);
      a[0][i] = four.x;
      a[1][i] = four.y;
      a[2][i] = four.z;
      a[3][i] = four.w;
    }
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      float b[thread_columns];
      load_row(b, b_first + (k + step) * sizeof(stage.b[0]));
      add_products(sums, a[step], b);
    }
  }
}
// [multiply]

// [row-of]
/// The row of C, in its tile, of a thread's sums i.
__device__ inline int row_of(int warp, int lane, int i) {
  return warp % warps_down * warp_rows + lane_down(lane) + i * lanes_down;
}
// [row-of]

// [predict]
/// The fours of A that a warp's lanes read, by their number in the tile.
inline int lanes_of_a(int lane) { return lane_down(lane) * tile_depth / 4 + lane_down(lane) % 8; }

inline model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps_of_c = m * n / warp_elements;
  model::Prediction prediction;
  prediction.shared_load(warps_of_c * k / 4 * thread_rows, 16, lanes_of_a)
      .shared_load(warps_of_c * k * thread_columns / 4, 16, lane_across);
  predict_store(prediction, m, n, 1);
  return prediction;
}
// [predict]

}  // namespace weft::hopper
