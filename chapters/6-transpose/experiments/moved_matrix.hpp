#pragma once

/// @file
/// Matrices whose every row begins at a multiple of 16 bytes: transposed by kernels, or copied by cudaMemcpy.

#include <cuda_runtime.h>

#include <cstdint>

#include "check/arrays.hpp"
#include "check/pattern.hpp"
#include "fours.hpp"
#include "problem.hpp"

namespace weft {

/// Queues cudaMemcpy of a whole matrix.
inline void copy_matrix(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const std::size_t bytes = in.rows * in.columns * sizeof(float);
  cuda_check(cudaMemcpyAsync(out.data, in.data, bytes, cudaMemcpyDeviceToDevice, stream));
}

/// @param shape rows and columns of the input
/// @param copies whether the output is the input, and not its transpose
/// @param launch `launch(stream, in, out)` queues what moves the matrix
template <typename Launch>
Owned<Problem> moved_matrix(const Shape& shape, bool copies, const Launch& launch) {
  const std::int64_t rows = shape[0];
  const std::int64_t columns = shape[1];
  if (rows % fours::width != 0 || columns % fours::width != 0) refuse("every row begins at 16 bytes");
  auto made = make_owned<ArrayProblem>();
  const auto& in = made->input<float>("input", shape, hashed_floats);
  auto& out = made->output<float>(
      "output", copies ? shape : Shape{columns, rows}, [=](std::uint64_t seed, std::int64_t index) {
        return hashed_float(seed, copies ? index : index % rows * columns + index / rows);
      });
  made->launches([=, &in, &out](cudaStream_t stream) {
    launch(stream, Matrix<const float>{in.data(), rows, columns}, Matrix<float>{out.data(), columns, rows});
  });
  return made;
}

}  // namespace weft
