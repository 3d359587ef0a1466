#pragma once

/// @file
/// Multiplying what stages of shared memory hold, A column by column and B row by row, while the next factors
/// are on their way to registers.

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

  __device__ void load(Place from) {
    constexpr unsigned words_apart = lanes_down * static_cast<unsigned>(sizeof(float));
    load_row(b, from.b);
#pragma unroll
    for (int i = 0; i < thread_rows; i += 4) {
      const float4 four = load_four(from.a + i * words_apart);
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
/// Waits for the end of a phase if told to. The condition is a predicate inside the assembly: as a branch,
/// the compiler would plan around it.
__device__ inline void wait_if(bool waits, unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "setp.eq.u32 done, %2, 0;\n"
      "@done bra over;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "over:\n"
      "}" ::"r"(barrier),
      "r"(parity), "r"(static_cast<unsigned>(waits))
      : "memory");
}

/// Arrives, if at all, and is no branch either.
__device__ inline void arrive_if(bool arrives, unsigned barrier) {
  asm volatile(
      "{\n"
      ".reg .pred arrives;\n"
      "setp.ne.u32 arrives, %1, 0;\n"
      "@arrives mbarrier.arrive.shared::cta.b64 _, [%0];\n"
      "}" ::"r"(barrier),
      "r"(static_cast<unsigned>(arrives))
      : "memory");
}

/// Takes this block's stages one after the other. The factors of the next k are loaded while those of this
/// one are multiplied, over the ends of stages and tiles; so one stage more must arrive than is used.
class Multiplier {
 public:
  __device__ Multiplier(const Stages& from, StageBarriers& barriers, int warp, int lane)
      : first_{shared_address(&from.a[0][0][warp % warps_down * warp_rows + lane_down(lane) * 4]),
               shared_address(&from.b[0][0][column_of(warp, lane, 0)])},
        arrived_(shared_address(barriers.arrived)),
        left_(shared_address(barriers.left)),
        lane_(lane),
        at_(first_) {
    wait(barriers.arrived[0], 0);
    factors_[0].load(at_);
  }

  /// Adds what the next `steps` stages hold. Whatever decides here is the same for all lanes, and all lanes
  /// go one way: a branch that they might part at takes more time than it seems.
  __device__ void add(Sums& sums, int steps) {
    constexpr int unrolled = 4;  // more gained nothing
#pragma unroll 1
    for (int left = steps * (tile_depth / unrolled); left > 0; --left) {
      const unsigned next = passed_ + unrolled * row_of_a;
      const unsigned in_ring = next % ring_of_a;
      const unsigned slot = in_ring / (tile_depth * row_of_a);
      const bool ends_stage = next % (tile_depth * row_of_a) == 0;
#pragma unroll
      for (int u = 0; u < unrolled; ++u) {
        Factors& following = factors_[(u + 1) % 2];
        if (u < unrolled - 1) {
          following.load({at_.a + (u + 1) * row_of_a, at_.b + (u + 1) * row_of_b});
        } else {
          wait_if(ends_stage, arrived_ + slot * sizeof(TransferBarrier), next / ring_of_a % 2);
          at_ = {first_.a + in_ring, first_.b + in_ring * (row_of_b / row_of_a)};
          following.load(at_);
        }
        add_products(sums, factors_[u % 2].a, factors_[u % 2].b);
      }
      __syncwarp();
      arrive_if(ends_stage && lane_ == 0,
                left_ + passed_ / (tile_depth * row_of_a) % stages * sizeof(TransferBarrier));
      passed_ = next;
    }
  }

 private:
  static constexpr unsigned row_of_a = sizeof(Stages::a[0][0]);
  static constexpr unsigned row_of_b = sizeof(Stages::b[0][0]);
  static constexpr unsigned ring_of_a = sizeof(Stages::a);

  Place first_;
  unsigned arrived_, left_;
  int lane_;
  Place at_;
  unsigned passed_ = 0;  ///< bytes of A's rows, in all rounds of the ring
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
