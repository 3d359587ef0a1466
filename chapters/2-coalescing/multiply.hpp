#pragma once

/// @file
/// The other problem of this chapter: C = A B for matrices of floats, where B lies row by row or column by
/// column.

#include <cstdint>

#include "problem.hpp"

namespace weft {

// [matrices]
/// Matrices on the device. A is rows × inner, row by row; C is rows × columns, row by row.
/// B is inner × columns: its element (k, column) is b[k * columns + column] if it lies row by row, and
/// b[column * inner + k] if it lies column by column.
struct Matrices {
  const float* a;
  const float* b;
  float* c;
  std::int64_t rows, inner, columns;
};
// [matrices]

/// How B lies in memory.
enum class Order : std::uint8_t { by_rows, by_columns };

using LaunchMultiply = StepFunction<void(cudaStream_t, Matrices)>;

/// Registers a step that multiplies matrices; its shape is rows × inner × columns. The inputs are small
/// integers, all of whose sums are exact, so that every order of summation gives the same bits.
void add_product(const char* name, const Axes& axes, Order order, const LaunchMultiply& launch,
                 const Predict& predict, Kind kind = Kind::step);

}  // namespace weft
