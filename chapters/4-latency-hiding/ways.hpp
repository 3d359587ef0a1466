#pragma once

/// @file
/// What the kernels have in common whose threads go one way or the other, turn by turn, and how they are
/// launched.

#include <cuda_runtime.h>

#include <bit>

#include "check/pattern.hpp"
#include "problem.hpp"

namespace weft {

inline constexpr dim3 parting_block{256};
inline constexpr int turns = 32;  // a bit of a thread's word for each
inline constexpr int one_hundred = 100;

/// @param ways of a thread: its bits
/// @param one not for the compiler to see: with it a way counts its multiply-adds
using WayKernel = void (*)(const std::uint32_t* ways, float* out, float one);

/// The ways of a thread, of which so many in a hundred are up. Those of a warp are the same if they are
/// sorted.
inline std::uint32_t ways_of(std::uint64_t seed, std::int64_t thread, std::int64_t percent, bool sorted) {
  const std::int64_t who = sorted ? thread / model::warp_size : thread;
  std::uint32_t ways = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const auto number = static_cast<std::uint32_t>(who * turns + turn) & low_31_bits;
    const bool is_up =
        permuted(number ^ salt_of(seed, 0)) % one_hundred < static_cast<std::uint32_t>(percent);
    ways |= static_cast<std::uint32_t>(is_up) << turn;
  }
  return ways;
}

/// A step with the axes `lengths`, of the two ways, `percent`, of the turns that go up, and `sorted`; its
/// shape counts threads, whole blocks of them.
inline Variant going_ways(const char* name, const Setting& setting, WayKernel kernel) {
  const Numbers& of_ways = setting["lengths"];
  const std::int64_t percent = setting.number("percent");
  const bool sorted = setting.number("sorted") != 0;
  Variant made(name, setting);
  made.curve = true;
  made.checked = {{0}, {256}, {2048}};
  made.measured = {{1 << 22}};
  made.counted = {{1 << 14}};
  made.rated_by = Rating::elements;
  made.amounts = [](const Shape& shape) { return Amounts{.elements = shape[0] * turns}; };
  made.make = [=](const Shape& shape) {
    const auto way = [=](std::uint64_t seed, std::int64_t thread) {
      return ways_of(seed, thread, percent, sorted);
    };
    auto problem = make_owned<ArrayProblem>();
    auto& ways = problem->input<std::uint32_t>("ways", {shape[0]}, way);
    auto& out = problem->output<float>("out", {shape[0]}, [=](std::uint64_t seed, std::int64_t thread) {
      const std::int64_t up = std::popcount(way(seed, thread));
      return static_cast<float>(of_ways[0] * up - of_ways[1] * (turns - up));
    });
    problem->launches([=, threads = shape[0], &ways, &out](cudaStream_t stream) {
      if (threads == 0) return;
      const auto blocks = static_cast<unsigned>(threads / parting_block.x);
      kernel<<<blocks, parting_block, 0, stream>>>(ways.data(), out.data(), 1);
    });
    return problem;
  };
  made.predict = [](const Shape& shape) {
    const std::int64_t warps = shape[0] / model::warp_size;
    return model::Prediction{}.global_load(warps, 4, own_lane).global_store(warps, 4, own_lane);
  };
  return made;
}

}  // namespace weft
