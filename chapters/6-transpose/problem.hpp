#pragma once

/// @file
/// What every step of this chapter solves: move a matrix of 4-byte elements, as it is or transposed.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "check/counted.hpp"
#include "step/vocabulary.hpp"
#include "kernel/grid.hpp"
#include "model/prediction.hpp"

namespace weft {

// [matrix]
/// A matrix on the device, row after row: element (row, column) is data[row * columns + column].
template <typename T>
struct Matrix {
  T* data;
  std::int64_t rows, columns;
};
// [matrix]

/// What a problem asks for: the matrix as it is, or transposed.
enum class Result : std::uint8_t { copy, transpose };

/// Queues what moves the elements of `in` to where they belong in `out`. Neither is empty.
template <typename T>
using Launch = void (*)(cudaStream_t, Matrix<const T> in, Matrix<T> out);
template <typename T>
using LaunchWithBlock = void (*)(cudaStream_t, Matrix<const T> in, Matrix<T> out, dim3 block);

/// What a step is expected to count where its tiles divide the matrix.
using Predict = model::Metrics (*)(std::int64_t rows, std::int64_t columns);
using PredictWithBlock = model::Metrics (*)(std::int64_t rows, std::int64_t columns, dim3 block);

/// A step of this chapter. Its constructors register everything that its program can do: check it on the
/// shapes that break kernels, predict and count it at 1024 × 1024, and time it at the measured shapes, where
/// it is rated by the bytes of both matrices.
template <typename T, Result result>
class Step {
 public:
  /// A kernel with one block shape.
  Step(const char* name, dim3 block, Launch<T> launch, Predict predict, Kind kind = Kind::step);

  /// A kernel that is tried with several block shapes, the default first; the others are timed at two shapes.
  Step(const char* name, const std::vector<dim3>& blocks, LaunchWithBlock<T> launch,
       PredictWithBlock predict);

  /// A call of a library: it is timed, but its kernels, if it has any, are not ours to count.
  Step(const char* name, Launch<T> launch, Kind kind);

  /// What the constructors register, to be changed before it is registered.
  static Variant variant(const char* name, const Parameters& parameters, Launch<T> launch, Predict predict);
};

using Copy = Step<float, Result::copy>;
using Transpose = Step<float, Result::transpose>;

/// The parameter that names a block's extents.
Parameters block_parameter(dim3 block);

}  // namespace weft

using namespace weft;  // a step is a program of its own
