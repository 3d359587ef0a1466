#pragma once

/// @file
/// What a launch must leave in the places of its blocks' sums.

#include <cmath>

#include "own_places.hpp"

namespace weft {

/// Checks sums of equal floats, some of whose bits could be taken for an empty place, and that all places are
/// empty behind each launch.
/// @param most_sums the plan's; @param many the largest number of floats that is tried
inline void check_places(void (*launch)(cudaStream_t stream, const Sum& sum), std::int64_t most_sums,
                         std::int64_t many) {
  constexpr std::uint32_t all_ones = ~0U;  // a NaN: the bits of an empty place, if it were left as it is
  constexpr std::uint32_t one = 0x3F800000;
  constexpr std::uint32_t minus_0 = 0x80000000;
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{4096}, std::int64_t{1} << 20,
                                   (std::int64_t{1} << 20) + 5, std::int64_t{3'000'001}, many}) {
    GuardedBuffer<std::uint32_t> in(count);
    GuardedBuffer<float> sum(1);
    const std::int64_t words = 4 * blocks_over(Plan(count, most_sums).blocks, 4);
    GuardedBuffer<std::uint32_t> places(words);
    places.fill([](std::int64_t) { return empty; });
    for (const std::uint32_t bits : {all_ones, one, minus_0}) {
      CAPTURE(count);
      CAPTURE(bits);
      in.fill([=](std::int64_t) { return bits; });
      launch(nullptr, {reinterpret_cast<const float*>(in.data()), count, sum.data(), places.data()});
      cuda_check(cudaGetLastError());
      float found = 0;
      sum.copy_out(0, 1, &found);
      if (bits == all_ones) CHECK(std::isnan(found));
      if (bits == one) CHECK(found == static_cast<float>(count));
      if (bits == minus_0) CHECK(found == 0);
      List<std::uint32_t> left(static_cast<std::size_t>(words));
      places.copy_out(0, words, left.data());
      for (const std::uint32_t word : left) CHECK(word == empty);
    }
  }
}

}  // namespace weft
