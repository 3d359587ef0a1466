#pragma once

/// @file
/// Stages whose tiles of A are transposed in shared memory, by warps that do not multiply.

#include "multiplier.hpp"
#include "stream_k.hpp"

namespace weft::hopper {

inline constexpr int transposing_warps = 3;
inline constexpr int box_stages = 2;

// [stages]
/// Boxes of A as they lie, and the stages that are multiplied.
struct TransposedStages {
  float boxes[box_stages][tile_rows][tile_depth];  ///< swizzled by the hardware
  Stages stages;
};

struct TransposedBarriers {
  StageBarriers stages;
  TransferBarrier box_arrived[box_stages];
  TransferBarrier box_left[box_stages];

  /// A stage has arrived when B has, and each warp has written its part of A.
  __device__ void initialize_all() {
    for (TransferBarrier& barrier : stages.arrived) initialize(barrier, 1 + transposing_warps);
    for (TransferBarrier& barrier : stages.left) initialize(barrier, warps);
    for (TransferBarrier& barrier : box_arrived) initialize(barrier, 1);
    for (TransferBarrier& barrier : box_left) initialize(barrier, transposing_warps);
    publish_barriers();
  }
};
// [stages]

/// Four numbers side by side in shared memory.
__device__ inline void store_shared_four(unsigned address, float x, float y, float z, float w) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(x), "f"(y), "f"(z), "f"(w)
               : "memory");
}

// [transpose]
/// Transposes a warp's share of a box. A lane loads four numbers of each of its four rows, and stores them in
/// four rows. Eight lanes are served together: they load eight different groups of four columns.
__device__ inline void transpose_box(const float (&box)[tile_rows][tile_depth],
                                     float (&to)[tile_depth][tile_rows], int warp, int lane) {
  constexpr unsigned row_of_box = sizeof(box[0]);
  constexpr unsigned row = sizeof(to[0]);
  // NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): it is less than a tile
  const unsigned from = shared_address(&box[lane * 4][0]);
  const unsigned below = shared_address(&to[0][lane * 4]);
  // NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
#pragma unroll 1
  for (int turn = warp; turn < tile_depth / 4; turn += transposing_warps) {
    const int four = turn ^ lane % 8 ^ lane % 2 * 4;
    float4 own[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int swizzled = four ^ (lane % 2 * 4 + i);
      own[i] = load_four(from + i * row_of_box + swizzled * sizeof(float4));
    }
    const unsigned first = below + four * 4 * row;
    store_shared_four(first, own[0].x, own[1].x, own[2].x, own[3].x);
    store_shared_four(first + row, own[0].y, own[1].y, own[2].y, own[3].y);
    store_shared_four(first + 2 * row, own[0].z, own[1].z, own[2].z, own[3].z);
    store_shared_four(first + 3 * row, own[0].w, own[1].w, own[2].w, own[3].w);
  }
}
// [transpose]

// [roles]
/// What the producer does: boxes of A and of B, each as soon as its place is free.
__device__ inline void fetch_tiles(const CUtensorMap& a, const CUtensorMap& b, TransposedStages& to,
                                   TransposedBarriers& barriers, const TileOrder& tiles, Work work) {
  Ring<stages> ring;
  Ring<box_stages> boxes;
  Segment segment;
  while (work.next(segment)) {
    const TileOrder::Tile tile = tiles[segment.tile];
    for (int step = segment.first_step; step < segment.end_step; ++step, ring.advance(), boxes.advance()) {
      TransferBarrier& box_arrival = barriers.box_arrived[boxes.slot];
      wait(barriers.box_left[boxes.slot], boxes.parity ^ 1);
      arrive_expecting(box_arrival, sizeof(to.boxes[0]));
      load_box(to.boxes[boxes.slot], a, tile.first_row, step * tile_depth, box_arrival);
      TransferBarrier& arrival = barriers.stages.arrived[ring.slot];
      wait(barriers.stages.left[ring.slot], ring.parity ^ 1);
      arrive_expecting(arrival, sizeof(to.stages.b[0]));
      load_box(to.stages.b[ring.slot], b, step * tile_depth, tile.first_column, arrival);
    }
  }
  wait(barriers.stages.left[ring.slot], ring.parity ^ 1);
  arrive(barriers.stages.arrived[ring.slot]);  // as if it had arrived: it is loaded from, but not multiplied
}

/// What the warps beside the producer do.
/// @param work whose next() gives the segments
__device__ inline void transpose_tiles(TransposedStages& stage, TransposedBarriers& barriers, auto work,
                                       int warp, int lane) {
  Ring<stages> ring;
  Ring<box_stages> boxes;
  Segment segment;
  while (work.next(segment)) {
    for (int step = segment.first_step; step < segment.end_step; ++step, ring.advance(), boxes.advance()) {
      wait(barriers.stages.left[ring.slot], ring.parity ^ 1);
      wait(barriers.box_arrived[boxes.slot], boxes.parity);
      transpose_box(stage.boxes[boxes.slot], stage.stages.a[ring.slot], warp, lane);
      // So the arrivals come after the accesses of all lanes. racecheck sees this of the arriving lane alone:
      // it reports that the multiplying warps read what the other lanes write. But __syncwarp orders the
      // other lanes' accesses before the arrival, which releases them to the warps that wait for it.
      __syncwarp();
      if (lane > 0) continue;
      arrive(barriers.stages.arrived[ring.slot]);
      arrive(barriers.box_left[boxes.slot]);
    }
  }
  wait(barriers.stages.left[ring.slot], ring.parity ^ 1);
  if (lane == 0) arrive(barriers.stages.arrived[ring.slot]);  // as if it had arrived, as in fetch_tiles()
}
// [roles]

// [predict-boxes]
/// What transposing boxes counts.
inline void predict_transpose_boxes(model::Prediction& prediction, std::int64_t boxes) {
  const std::int64_t times = boxes * tile_rows * tile_depth / 4 / model::warp_size;
  const auto swizzled = [](int lane) { return lane * 4 * tile_depth / 4 + lane % 8; };
  const auto below = [](int lane) { return (lane % 8 ^ lane % 2 * 4) * tile_rows + lane; };
  prediction.shared_load(times, 16, swizzled).shared_store(times, 16, below);
}
// [predict-boxes]

}  // namespace weft::hopper
