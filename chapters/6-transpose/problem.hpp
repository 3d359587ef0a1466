#pragma once

/// @file
/// What every step of this chapter solves: move a matrix of 4-byte elements, as it is or transposed.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include "check/counted.hpp"
#include "kernel/grid.hpp"
#include "model/prediction.hpp"
#include "step/axes.hpp"

namespace weft {

// [matrix]
/// A matrix on the device, row after row: element (row, column) is data[row * columns + column].
template <typename T>
struct Matrix {
  T* data;
  std::int64_t rows, columns;
};
// [matrix]

/// Queues what moves the elements of `in` to where they belong in `out`. Neither is empty.
template <typename T>
using Launch = StepFunction<void(cudaStream_t, Matrix<const T> in, Matrix<T> out)>;

/// What a step is expected to count where its tiles divide the matrix; extents are rows and columns of `in`.
using Predict = StepFunction<model::Prediction()>;

/// Registers a step that moves a matrix as it is, or transposed. It is checked on the shapes that break
/// kernels and timed at the measured shapes, where it is rated by the bytes of both matrices; if it is
/// predicted, that is held against what it counts at 1024 × 1024. Variants beside the default one are timed
/// at two shapes, an experiment at one.
/// @tparam T float, and for a transpose double, too
template <typename T = float>
void add_copy(const char* name, const Axes& axes, const std::type_identity_t<Launch<T>>& launch,
              const Predict& predict = {}, Kind kind = Kind::step);
template <typename T = float>
void add_transpose(const char* name, const Axes& axes, const std::type_identity_t<Launch<T>>& launch,
                   const Predict& predict = {}, Kind kind = Kind::step);

/// The same for a transpose of a matrix whose rows lie columns + `padding` elements apart; the axes have a
/// `padding`.
void add_padded_transpose(const char* name, const Axes& axes, const Launch<float>& launch,
                          const Predict& predict = {}, Kind kind = Kind::step);

/// What add_transpose registers for one setting of its axes, to be changed before it is registered.
Variant transpose_variant(const char* name, const Setting& setting, const Launch<float>& launch);

}  // namespace weft

using namespace weft;  // a step is a program of its own
