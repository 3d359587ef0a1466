#pragma once

/// @file
/// Multiplying what stages of shared memory hold, A column by column and B row by row, while the next factors
/// are on their way to registers.

#include "hopper.hpp"

namespace weft::hopper {

inline constexpr int stages = 4;

/// What one step along the depth needs.
struct Stage {
  float a[tile_depth][tile_rows];
  float b[tile_depth][tile_columns];
};

/// When a stage may be read, and when it may be written again.
struct StageBarriers {
  TransferBarrier arrived[stages];
  TransferBarrier left[stages];
};

// [factors]
/// Where a thread finds its part of a stage's first column of A and row of B.
struct Place {
  unsigned a, b;
};
__device__ inline Place place_in(const Stage& stage, int warp, int lane) {
  return {shared_address(&stage.a[0][warp % warps_down * warp_rows + lane_down(lane) * 4]),
          shared_address(&stage.b[0][column_of(warp, lane, 0)])};
}

/// Its part of one column of A and one row of B.
struct Factors {
  float a[thread_rows];
  float b[thread_columns];

  __device__ void load(Place place, int k) {
    constexpr unsigned words_apart = lanes_down * static_cast<unsigned>(sizeof(float));
    load_row(b, place.b + k * sizeof(Stage::b[0]));
#pragma unroll
    for (int i = 0; i < thread_rows; i += 4) {
      const float4 four = load_four(place.a + i * words_apart + k * sizeof(Stage::a[0]));
      a[i] = four.x;
      a[i + 1] = four.y;
      a[i + 2] = four.z;
      a[i + 3] = four.w;
    }
  }
};

/// The row of C, in its tile, of a thread's sums i.
__device__ inline int row_of(int warp, int lane, int i) {
  return warp % warps_down * warp_rows + lane_down(lane) * 4 + i / 4 * lanes_down * 4 + i % 4;
}
// [factors]

// [multiply]
/// Takes this block's stages one after the other. The factors of the next k are loaded while those of this
/// one are multiplied, over the ends of stages and tiles.
class Multiplier {
 public:
  __device__ Multiplier(const Stage* stage, StageBarriers& barriers, int steps_in_all, int warp, int lane)
      : stage_(stage), barriers_(barriers), left_(steps_in_all), warp_(warp), lane_(lane) {
    if (left_ == 0) return;
    wait(barriers_.arrived[0], 0);
    place_ = place_in(stage_[0], warp_, lane_);
    factors_[0].load(place_, 0);
  }

  /// Adds what the next `steps` stages hold.
  __device__ void add(Sums& sums, int steps) {
    constexpr int unrolled = 4;
    for (int step = 0; step < steps; ++step) {
      const int slot = ring_.slot;
      --left_;
#pragma unroll 1
      for (int k = 0; k < tile_depth; k += unrolled) {
        Place next{place_.a + unrolled * static_cast<unsigned>(sizeof(Stage::a[0])),
                   place_.b + unrolled * static_cast<unsigned>(sizeof(Stage::b[0]))};
        if (k == tile_depth - unrolled) {
          ring_.advance();
          next = place_in(stage_[ring_.slot], warp_, lane_);
        }
#pragma unroll
        for (int u = 0; u < unrolled; ++u) {
          Factors& following = factors_[(u + 1) % 2];
          if (u < unrolled - 1) {
            following.load(place_, u + 1);
          } else {
            if (k == tile_depth - unrolled && left_ > 0) wait(barriers_.arrived[ring_.slot], ring_.parity);
            following.load(next, 0);
          }
          add_products(sums, factors_[u % 2].a, factors_[u % 2].b);
        }
        place_ = next;
      }
      __syncwarp();
      if (lane_ == 0) arrive(barriers_.left[slot]);
    }
  }

 private:
  const Stage* stage_;
  StageBarriers& barriers_;
  int left_, warp_, lane_;
  Ring<stages> ring_;
  Place place_{};
  Factors factors_[2];
};
// [multiply]

// [predict-multiply]
/// What reading the factors counts: of every step along the depth for each warp, and once more what lies
/// behind the last.
inline void predict_multiply(model::Prediction& prediction, std::int64_t steps_of_blocks,
                             std::int64_t blocks) {
  const std::int64_t times = warps * (steps_of_blocks * tile_depth + blocks);
  prediction.shared_load(times * thread_rows / 4, 16, lane_down)
      .shared_load(times * thread_columns / 4, 16, lane_across);
}
// [predict-multiply]

}  // namespace weft::hopper
