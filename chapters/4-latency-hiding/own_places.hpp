#pragma once

/// @file
/// Sums in one launch whose blocks leave their sums in places of their own, which one warp looks at, or all
/// warps of a block.

#include "one_launch.hpp"

namespace weft {

// [places]
/// What a place holds before a sum is left there. No sum has these bits: they are inverted, and what an
/// addition makes of NaNs is 0x7FFFFFFF.
inline constexpr std::uint32_t empty = 0;
/// A sum of 0, as it is left.
inline constexpr std::uint32_t sum_of_0 = ~std::uint32_t{0};

__device__ inline void leave(std::uint32_t* place, float sum) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(place), "r"(~__float_as_uint(sum)) : "memory");
}

/// What four places hold now, as the L2 has it.
__device__ inline uint4 look_at(const uint4* four) {
  uint4 found;  // NOLINT(misc-const-correctness): the instruction writes it
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(found.x), "=r"(found.y), "=r"(found.z), "=r"(found.w)
               : "l"(four)
               : "memory");
  return found;
}

__device__ inline void make_empty(uint4* four) {  // NOLINT(misc-const-correctness): the instruction writes
  asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(four), "r"(empty) : "memory");
}

__device__ inline bool has_empty(uint4 four) {
  return min(min(four.x, four.y), min(four.z, four.w)) == empty;
}

__device__ inline float4 sums_of(uint4 four) {
  return {__uint_as_float(~four.x), __uint_as_float(~four.y), __uint_as_float(~four.z),
          __uint_as_float(~four.w)};
}
// [places]

// [collect]
/// What this thread takes of the sums that so many blocks leave: always the same places, added in the same
/// order, and empty again behind it. Four places are one load. Those behind the last block's get a sum of 0.
/// @tparam threads so many collect, of whole warps; @tparam together each looks at so many fours at a time
template <int threads, int together>
__device__ float part_of_places(std::uint32_t* places, unsigned blocks) {
  const unsigned fours = (blocks + 3) / 4;
  if (threadIdx.x < fours * 4 - blocks) leave(&places[blocks + threadIdx.x], 0);
  auto* const all = reinterpret_cast<uint4*>(places);
  float4 sum{};
#pragma unroll 1
  for (unsigned first = 0; first < fours; first += together * threads) {
    uint4 found[together];
    bool waits = false;
#pragma unroll 1
    do {
      waits = false;
#pragma unroll
      for (int i = 0; i < together; ++i) {
        const unsigned four = first + i * threads + threadIdx.x;
        found[i] = four < fours ? look_at(&all[four]) : uint4{sum_of_0, sum_of_0, sum_of_0, sum_of_0};
      }
#pragma unroll
      for (const uint4 four : found) waits = waits || has_empty(four);
    } while (__any_sync(~0U, waits));
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const unsigned four = first + i * threads + threadIdx.x;
      if (four < fours) make_empty(&all[four]);
      add_to(sum, sums_of(found[i]));
    }
  }
  return (sum.x + sum.y) + (sum.z + sum.w);
}
// [collect]

/// A lane of a single warp looks at so many fours at a time: what few blocks leave is looked at in one go.
template <int threads>
inline constexpr int fours_together = threads == Plan::few_threads ? 2 : 16;

/// A thread looks at so many fours at a time where all warps of a block collect.
inline constexpr int fours_of_thread = 4;

/// What the places of a plan's blocks count: each is left once, and looked at once, if nobody waits.
inline void predict_places(model::Prediction& prediction, const Plan& plan) {
  const std::int64_t fours = blocks_over(plan.blocks, 4);
  predict_trees(prediction, plan, plan.blocks);
  predict_loads(prediction, fours, 16);
  const std::int64_t left = fours % model::warp_size;
  prediction
      .global_store(plan.blocks + 1, 4, first_lane)  // with the sum of all
      .global_store(fours / model::warp_size, 16, own_lane)
      .global_store(left > 0 ? 1 : 0, 16,
                    [=](int lane) { return lane < left ? model::Element(lane) : model::Element(); });
  const std::int64_t without_block = fours * 4 - plan.blocks;
  prediction.global_store(without_block > 0 ? 1 : 0, 4, [=](int lane) {
    return lane < without_block ? model::Element(lane) : model::Element();
  });
}

/// The same, where all warps of a block look at them, and add up what they have found.
inline void predict_places_of_block(model::Prediction& prediction, const Plan& plan) {
  predict_places(prediction, plan);
  predict_trees(prediction, plan, 1);
}

/// Says of a step that it looks at places by loads. What it predicts is one look at each, as on the emulator,
/// where nobody waits. On a GPU it looks again: how many loads that takes Nsight Compute alone can tell.
inline void looks_by_loads(Variant& made) {
  made.quantities.push_back(
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request", Origin::profiler, {}});
  made.quantities.push_back(
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", Origin::profiler, {}});
}

/// A step whose blocks leave their sums in places of their own.
/// @param most_sums the plan's
inline Variant sum_in_own_places(const char* name, const Setting& setting,
                                 Function<void(cudaStream_t, const Sum&)> launch,
                                 void (*predict_meeting)(model::Prediction& prediction, const Plan& plan),
                                 std::int64_t most_sums = Plan::few_sums) {
  Variant made = sum_of_floats(
      name, setting,
      {.launch = std::move(launch),
       .additions =
           [=](std::int64_t count) {
             const Plan plan(count, most_sums);
             const std::int64_t sums_of_lane = blocks_over(plan.blocks, model::warp_size);
             return plan.tiles_of_block * plan.loads + sums_of_lane + std::int64_t{2} * (10 + 3);
           },
       .predict =
           [=](std::int64_t count) {
             model::Prediction prediction;
             predict_tiles(prediction, count);
             predict_meeting(prediction, Plan(count, most_sums));
             return prediction;
           },
       .workspace = [=](std::int64_t count) { return 4 * blocks_over(Plan(count, most_sums).blocks, 4); }});
  made.measured.clear();
  for (const std::int64_t size : sizes_of_sums) made.measured.push_back({size});
  return made;
}

}  // namespace weft
