#pragma once

/// @file
/// What a thread does with the elements of A and B that it holds, and with their sums.

#include <cstdint>

#include "fours.hpp"

namespace weft {

// [multiply]
/// Adds to each sum the product of an element of a column of A and one of a row of B. Neighbouring
/// instructions have an operand in common, also where one column of sums ends and the next one begins: it can
/// stay in the operand cache, and need not be read from the register file.
template <int rows, int columns>
__device__ inline void add_outer_product(float (&sums)[rows][columns], const float (&a)[rows],
                                         const float (&b)[columns]) {
#pragma unroll
  for (int j = 0; j < columns; ++j) {
#pragma unroll
    for (int n = 0; n < rows; ++n) {
      const int i = j % 2 == 0 ? n : rows - 1 - n;
      sums[i][j] += a[i] * b[j];
    }
  }
}
// [multiply]

// [pieces]
/// Loads elements of a row of shared memory, by fours that lie `stride` floats apart.
template <int stride, int count>
__device__ inline void load_fours(float (&to)[count], const float* row) {
#pragma unroll
  for (int i = 0; i < count; i += 4) load_four(to + i, row + std::int64_t{i} / 4 * stride);
}

/// Updates a thread's elements: fours of rows and of columns, `down` rows and `across` columns apart.
template <int width, int down, int across, int rows, int columns>
__device__ inline void update_fours(float* c, std::int64_t ldc, int m, int n, int first_row, int first_column,
                                    float alpha, const float (&sums)[rows][columns], float beta) {
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    const int row = first_row + i / 4 * down + i % 4;
    if (row >= m) return;
#pragma unroll
    for (int j = 0; j < columns; j += 4) {
      const int column = first_column + j / 4 * across;
      update_valid<width == 4>(&c[row * ldc + column], n - column, alpha, &sums[i][j], beta);
    }
  }
}
// [pieces]

}  // namespace weft
