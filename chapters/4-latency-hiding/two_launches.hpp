#pragma once

/// @file
/// Sums in two launches: blocks that stay leave a sum each, which one block adds up.

#include "sum.hpp"
#include "thread_sum.hpp"

namespace weft {

inline constexpr int blocks_of_multiprocessor = 4;  ///< all of which it holds, whatever registers they take

using KernelOfSums = void (*)(const float* in, std::int64_t count, float* sums);

/// A step whose threads load so many vectors of four at a time.
inline Variant sum_in_two_launches(const char* name, const Setting& setting, KernelOfSums kernel, int loads,
                                   void (*predict_block)(model::Prediction& prediction,
                                                         std::int64_t blocks)) {
  const auto blocks_for = [=](std::int64_t count) {
    const std::int64_t most = std::int64_t{multiprocessors()} * blocks_of_multiprocessor;
    return min(most, tiles_of(count, block.x, loads));
  };
  return sum_of_floats(name, setting,
                       {.launch =
                            [=](cudaStream_t stream, const Sum& sum) {
                              const std::int64_t blocks = blocks_for(sum.count);
                              auto* const parts = reinterpret_cast<float*>(sum.workspace);
                              kernel<<<static_cast<unsigned>(blocks), block, 0, stream>>>(sum.in, sum.count,
                                                                                          parts);
                              kernel<<<1, block, 0, stream>>>(parts, blocks, sum.sum);
                            },
                        .additions =
                            [=](std::int64_t count) {
                              const std::int64_t blocks = blocks_for(count);
                              return (blocks_over(tiles_of(count, block.x, loads), blocks) +
                                      tiles_of(blocks, block.x, loads)) *
                                         loads +
                                     2 * (8 + 3);
                            },
                        .predict =
                            [=](std::int64_t count) {
                              model::Prediction prediction;
                              const std::int64_t blocks = blocks_for(count);
                              predict_tiles(prediction, count);
                              predict_tiles(prediction, blocks);
                              predict_block(prediction, blocks + 1);
                              return prediction.global_store(blocks + 1, 4, first_lane);
                            },
                        .workspace = blocks_for});
}

}  // namespace weft
