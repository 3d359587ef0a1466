#pragma once

/// @file
/// Sums in one launch: what its blocks are, and what they count.

#include "block_sum.hpp"
#include "sum.hpp"
#include "thread_sum.hpp"

namespace weft {

inline constexpr int threads = 512;
inline constexpr int warps_of_block = threads / model::warp_size;

// [plan]
/// Who takes which floats: each block so many tiles, one behind the other.
struct Plan {
  bool streamed;  ///< so few floats that what others have left in the L2 is worth more
  int loads;      ///< of a thread for a tile, of four floats each
  std::int64_t tiles_of_block;
  unsigned blocks;

  /// As few loads as let all blocks run at once. Of many floats a block takes a tile, or as many as leave few
  /// enough sums behind.
  explicit Plan(std::int64_t count) {
    const std::int64_t at_once = std::int64_t{multiprocessors()} * blocks_of_multiprocessor;
    streamed = count <= most_streamed;
    loads = 1;
    while (loads < most_loads && tiles_of(count, threads, loads) > at_once) loads *= 2;
    const std::int64_t tiles = tiles_of(count, threads, loads);
    tiles_of_block = blocks_over(tiles, most_blocks);
    blocks = static_cast<unsigned>(blocks_over(tiles, tiles_of_block));
  }

  static constexpr int most_loads = 8;
  static constexpr int blocks_of_multiprocessor = 2;
  static constexpr std::int64_t most_blocks = 1 << 12;
  static constexpr std::int64_t most_streamed = 1 << 26;
};
// [plan]

/// Queues a kernel whose template takes what the plan says: `launch.template operator()<loads, streamed>()`.
/// Where nothing is streamed there is more than one tile of the largest for each block that runs at once.
template <typename Launch>
void with_loads(const Plan& plan, const Launch& launch) {
  if (!plan.streamed) return launch.template operator()<Plan::most_loads, false>();
  if (plan.loads == 1) return launch.template operator()<1, true>();
  if (plan.loads == 2) return launch.template operator()<2, true>();
  if (plan.loads == 4) return launch.template operator()<4, true>();
  launch.template operator()<Plan::most_loads, true>();
}

// [workspace]
/// Where blocks meet: a counter in a line of its own, and a place for each.
struct Meeting {
  unsigned* counter;
  std::uint32_t* places;

  explicit Meeting(const Sum& sum) : counter(sum.workspace), places(sum.workspace + words_of_line) {}

  static constexpr std::int64_t words_of_line = model::line_bytes / 4;
};
// [workspace]

/// A step whose blocks meet. How often they do so is not predicted.
/// @param predict_meeting adds what so many blocks do beside their tiles and what block_sum() does
inline Variant sum_in_one_launch(const char* name, Function<void(cudaStream_t, const Sum&)> launch,
                                 void (*predict_meeting)(model::Prediction& prediction,
                                                         std::int64_t blocks)) {
  Variant made = sum_of_floats(
      name, {},
      {.launch = std::move(launch),
       .additions =
           [](std::int64_t count) {
             const Plan plan(count);
             return plan.tiles_of_block * plan.loads + blocks_over(plan.blocks, threads) + 2 * (10 + 3);
           },
       .predict =
           [=](std::int64_t count) {
             const std::int64_t blocks = Plan(count).blocks;
             model::Prediction prediction;
             predict_tiles(prediction, count);
             predict_block_sum<threads>(prediction, blocks + 1);
             predict_meeting(prediction, blocks);
             return prediction;
           },
       .workspace = [](std::int64_t count) { return Meeting::words_of_line + Plan(count).blocks; }});
  made.measured.clear();
  for (const std::int64_t size : sizes_of_sums) made.measured.push_back({size});
  made.polls = true;
  return made;
}

}  // namespace weft
