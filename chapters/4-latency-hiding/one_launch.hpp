#pragma once

/// @file
/// Sums in one launch: what its blocks are, and what they count.

#include "block_sum.hpp"
#include "sum.hpp"
#include "thread_sum.hpp"

namespace weft {

// [plan]
/// Who takes which floats: each block so many tiles, one behind the other.
struct Plan {
  bool streamed;  ///< so few floats that what others have left in the L2 is worth more
  int threads;    ///< of a block
  int loads;      ///< of a thread for a tile, of four floats each
  std::int64_t tiles_of_block;
  unsigned blocks;

  /// Of few floats each multiprocessor has one block, whose threads have as few loads as that allows. Of many
  /// floats a block is larger, and takes a tile, or as many as leave few enough sums behind.
  /// @param most_sums so many are few enough
  explicit Plan(std::int64_t count, std::int64_t most_sums = few_sums) {
    const std::int64_t at_once = multiprocessors();
    streamed = count <= most_streamed;
    threads = few_threads;
    loads = 1;
    while (loads < most_loads && tiles_of(count, threads, loads) > at_once) loads *= 2;
    if (tiles_of(count, threads, loads) > at_once) threads = many_threads;
    const std::int64_t tiles = tiles_of(count, threads, loads);
    tiles_of_block = blocks_over(tiles, most_sums);
    blocks = static_cast<unsigned>(blocks_over(tiles, tiles_of_block));
  }

  static constexpr int few_threads = 256;
  static constexpr int many_threads = 512;
  static constexpr int most_loads = 8;
  static constexpr std::int64_t few_sums = 1 << 12;
  static constexpr std::int64_t most_streamed = 1 << 26;
};
// [plan]

/// Queues a kernel whose template takes what the plan says:
/// `launch.template operator()<threads, loads, streamed>()`. Large blocks have the most loads, and where
/// nothing is streamed blocks are large.
template <typename Launch>
void with_plan(const Plan& plan, const Launch& launch) {
  constexpr int most = Plan::most_loads;
  if (!plan.streamed) return launch.template operator()<Plan::many_threads, most, false>();
  if (plan.threads == Plan::many_threads) return launch.template operator()<Plan::many_threads, most, true>();
  if (plan.loads == 1) return launch.template operator()<Plan::few_threads, 1, true>();
  if (plan.loads == 2) return launch.template operator()<Plan::few_threads, 2, true>();
  if (plan.loads == 4) return launch.template operator()<Plan::few_threads, 4, true>();
  launch.template operator()<Plan::few_threads, most, true>();
}

// [workspace]
/// Where blocks meet: a counter in a line of its own, if they have one, and a place for each.
struct Meeting {
  unsigned* counter;
  std::uint32_t* places;

  explicit Meeting(const Sum& sum) : counter(sum.workspace), places(sum.workspace + words_of_line) {}

  static constexpr std::int64_t words_of_line = model::line_bytes / 4;
};
// [workspace]

/// What block_sum() does in so many blocks of the plan.
inline void predict_trees(model::Prediction& prediction, const Plan& plan, std::int64_t trees) {
  if (plan.threads == Plan::few_threads) return predict_block_sum<Plan::few_threads>(prediction, trees);
  predict_block_sum<Plan::many_threads>(prediction, trees);
}

/// A step whose blocks meet. How often they do so is not predicted.
/// @param predict_meeting adds what the blocks do beside their tiles
inline Variant sum_in_one_launch(const char* name, Function<void(cudaStream_t, const Sum&)> launch,
                                 void (*predict_meeting)(model::Prediction& prediction, const Plan& plan)) {
  Variant made = sum_of_floats(
      name, {},
      {.launch = std::move(launch),
       .additions =
           [](std::int64_t count) {
             const Plan plan(count);
             return plan.tiles_of_block * plan.loads + blocks_over(plan.blocks, plan.threads) +
                    std::int64_t{2} * (10 + 3);
           },
       .predict =
           [=](std::int64_t count) {
             model::Prediction prediction;
             predict_tiles(prediction, count);
             predict_meeting(prediction, Plan(count));
             return prediction;
           },
       .workspace = [](std::int64_t count) { return Meeting::words_of_line + Plan(count).blocks; }});
  made.measured.clear();
  for (const std::int64_t size : sizes_of_sums) made.measured.push_back({size});
  made.polls = true;
  return made;
}

}  // namespace weft
