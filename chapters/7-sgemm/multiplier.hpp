#pragma once

/// @file
/// Multiplying what stages of shared memory hold, A column by column and B row by row, while the next factors
/// are on their way to registers.

#include <type_traits>

#include "hopper.hpp"

namespace weft::hopper {

inline constexpr int stages = 4;

/// The ring: a stage holds what one step along the depth needs, and the rows of all stages lie in one piece.
struct Stages {
  float a[stages][tile_depth][tile_rows];
  float b[stages][tile_depth][tile_columns];
};
inline constexpr unsigned bytes_of_stage = sizeof(Stages) / stages;

/// When a stage may be read, and when it may be written again.
struct StageBarriers {
  TransferBarrier arrived[stages];
  TransferBarrier left[stages];
};

// [factors]
/// Where a thread finds its part of a column of A and of a row of B.
struct Place {
  unsigned a, b;
};

/// These parts.
struct Factors {
  float a[thread_rows];
  float b[thread_columns];

  /// @tparam a_first the order decides how the compiler arranges a loop
  template <bool a_first = false>
  __device__ void load(Place from) {
    if constexpr (a_first) load_a(from.a);
    load_row(b, from.b);
    if constexpr (!a_first) load_a(from.a);
  }

 private:
  __device__ void load_a(unsigned from) {
    constexpr unsigned words_apart = lanes_down * static_cast<unsigned>(sizeof(float));
#pragma unroll
    for (int i = 0; i < thread_rows; i += 4) {
      const float4 four = load_four(from + i * words_apart);
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

/// The first row of sums in which loops are fastest on an H200: step `middle-first`.
inline constexpr int middle_row = thread_rows / 2;

// [multiply]
/// Takes this block's stages one after the other. While the products of one k are added, the factors of a k
/// that comes `ahead` later are loaded. At the end of a stage or of a tile, they come from the next stage. So
/// one more stage must arrive than is multiplied.
/// @tparam unrolled how many k a turn of the inner loop has
/// @tparam first_row the row of sums that comes first at each k
template <int ahead = 1, int unrolled = 4, int first_row = 0>
class Multiplier {
 public:
  __device__ Multiplier(const Stages& from, StageBarriers& barriers, int warp, int lane)
      : first_{shared_address(&from.a[0][0][warp % warps_down * warp_rows + lane_down(lane) * 4]),
               shared_address(&from.b[0][0][column_of(warp, lane, 0)])},
        barriers_(barriers),
        lane_(lane),
        at_(first_) {
    wait(barriers.arrived[0], 0);
#pragma unroll
    for (int u = 0; u < ahead; ++u) load(factors_[u], rows_behind(u));
  }

  /// Adds what the next `steps` stages hold. It waits for a stage before it multiplies the one in front:
  /// so no wait divides the inner loop, and the compiler places its loads freely.
  __device__ void add(Sums& sums, int steps) { add(sums, steps, nullptr); }

  /// The same, but of a stage only what lies before the end of the depth.
  /// @param skipped for a number of stages that are left: how many k of the first of them lie behind the end
  __device__ void add(Sums& sums, int steps, auto skipped) {
#pragma unroll 1
    for (; steps > 0; --steps) {
      TransferBarrier& left = barriers_.left[ring_.slot];
      ring_.advance();
      wait(barriers_.arrived[ring_.slot], ring_.parity);
      const Place next_stage{first_.a + ring_.slot * tile_depth * row_of_a,
                             first_.b + ring_.slot * tile_depth * row_of_b};
      int first = 0;  // NOLINT(misc-const-correctness): it is const only where nothing is skipped
      if constexpr (!std::is_null_pointer_v<decltype(skipped)>) first = skipped(steps) / unrolled * unrolled;
#pragma unroll 1
      for (int k = first; k < tile_depth; k += unrolled) {
        const Place next = k + unrolled < tile_depth ? rows_behind(unrolled) : next_stage;
#pragma unroll
        for (int u = 0; u < unrolled; ++u) {
          const int loaded = u + ahead;
          load(factors_[loaded % sets],
               loaded < unrolled ? rows_behind(loaded) : behind(next, loaded - unrolled));
          add_products<first_row>(sums, factors_[u % sets].a, factors_[u % sets].b);
        }
        at_ = next;
      }
      __syncwarp();
      if (lane_ == 0) arrive(left);
    }
  }

 private:
  static constexpr unsigned row_of_a = sizeof(Stages::a[0][0]);
  static constexpr unsigned row_of_b = sizeof(Stages::b[0][0]);

  static constexpr int sets = 2 * ahead;

  [[nodiscard]] __device__ static Place behind(Place place, unsigned rows) {
    return {place.a + rows * row_of_a, place.b + rows * row_of_b};
  }
  [[nodiscard]] __device__ Place rows_behind(unsigned rows) const { return behind(at_, rows); }

  __device__ static void load(Factors& factors, Place from) { factors.template load<(ahead > 1)>(from); }

  Place first_;
  StageBarriers& barriers_;
  int lane_;
  Ring<stages> ring_;
  Place at_;
  Factors factors_[sets];
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
