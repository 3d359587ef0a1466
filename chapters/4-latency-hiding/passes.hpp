#pragma once

/// @file
/// Launching kernels that leave a sum for each block, pass after pass, until one is left.

#include "block_sum.hpp"
#include "sum.hpp"

namespace weft {

// [passes]
/// Leaves the sum of each block's floats.
using Pass = void (*)(const float* in, std::int64_t count, float* sums);

/// Queues passes whose blocks have a float for each thread. What one leaves, the next adds up.
inline void launch_passes(Pass pass, cudaStream_t stream, const Sum& sum) {
  const float* in = sum.in;
  std::int64_t count = sum.count;
  auto* to = reinterpret_cast<float*>(sum.workspace);
  do {
    const std::int64_t blocks = max(std::int64_t{1}, blocks_over(count, block.x));
    if (blocks == 1) to = sum.sum;
    pass<<<static_cast<unsigned>(blocks), block, 0, stream>>>(in, count, to);
    in = to;
    count = blocks;
    to += blocks;
  } while (count > 1);
}
// [passes]

/// The levels of a tree that adds up neighbours first.
inline void predict_neighbours(model::Prediction& prediction, std::int64_t blocks) {
  constexpr int floats = block.x;
  for (int between = 2; between <= floats; between *= 2) {
    const auto some = [=](int lane) { return lane % between == 0 ? model::Element(lane) : model::Element(); };
    predict_level<block.x>(prediction, blocks, min(floats / model::warp_size, floats / between), some);
  }
}

/// A step whose blocks have a float for each thread.
/// @param predict_tree adds what so many blocks do in shared memory, behind their threads' first store
inline Variant sum_in_passes(const char* name, Pass pass,
                             void (*predict_tree)(model::Prediction& prediction, std::int64_t blocks)) {
  const auto predict = [=](std::int64_t count) {
    model::Prediction prediction;
    for (std::int64_t left = count; left > 1; left = blocks_over(left, block.x)) {
      const std::int64_t blocks = blocks_over(left, block.x);
      predict_loads(prediction, left, 4);
      prediction.shared_store(blocks * (block.x / model::warp_size), 4, own_lane)
          .global_store(blocks, 4, first_lane);
      predict_tree(prediction, blocks);
      prediction.shared_load(blocks, 4, first_lane);
    }
    return prediction;
  };
  return sum_of_floats(
      name, {},
      {.launch = [=](cudaStream_t stream, const Sum& sum) { launch_passes(pass, stream, sum); },
       .additions =
           [](std::int64_t count) {
             std::int64_t additions = 8;
             for (; blocks_over(count, block.x) > 1; count = blocks_over(count, block.x)) additions += 8;
             return additions;
           },
       .predict = predict,
       .workspace =
           [](std::int64_t count) {
             std::int64_t words = 0;
             for (; count > 1; count = blocks_over(count, block.x)) words += blocks_over(count, block.x);
             return words;
           }});
}

}  // namespace weft
