#pragma once

/// @file
/// Tiles that are loaded and stored four words at a time, both ways.

#include <cuda_runtime.h>

#include <cstdint>

#include "model/prediction.hpp"
#include "problem.hpp"

namespace weft::fours {

inline constexpr int width = 4;  // words of a float4
inline constexpr int tile = 64;
inline constexpr dim3 block{tile / width, 32};
inline constexpr int threads = block.x * block.y;
inline constexpr int blocks_per_multiprocessor = 4;  // 2048 threads, and 64 KiB of loads in flight at most

// [word-index]
/// Where a word of the tile lies in shared memory. A row is stored by fours, a column is read in words. The
/// fours of a row change places every four rows, so that a column lies in eight banks.
__host__ __device__ constexpr int word_index(int row, int column) {
  const int four = column / width ^ row / width % 8;
  return row * tile + four * width + column % width;
}
// [word-index]

// [in-fours]
/// Whether every row begins at a multiple of 16 bytes.
inline bool in_fours(const float* data, std::int64_t columns) {
  return reinterpret_cast<std::uintptr_t>(data) % sizeof(float4) == 0 && columns % width == 0;
}
// [in-fours]

// [predict]
inline model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / width / model::warp_size;
  const auto x = [](int lane) { return lane % static_cast<int>(block.x) * width; };
  const auto y = [](int lane) { return lane / static_cast<int>(block.x); };
  model::Prediction prediction;
  prediction.global_load(warps, 16, [&](int lane) { return (y(lane) * columns + x(lane)) / width; })
      .shared_store(warps, 16, [&](int lane) { return word_index(y(lane), x(lane)) / width; })
      .global_store(warps, 16, [&](int lane) { return (y(lane) * rows + x(lane)) / width; });
  for (int word = 0; word < width; ++word) {
    prediction.shared_load(warps, 4, [&](int lane) { return word_index(x(lane) + word, y(lane)); });
  }
  return prediction;
}
// [predict]

}  // namespace weft::fours
