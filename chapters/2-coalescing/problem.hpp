#pragma once

/// @file
/// What the steps of this chapter solve: c = a + b, where a, b and c are vectors of floats, or rows of a
/// matrix, or points, or small integers. What differs is which lane asks for which element.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "check/counted.hpp"
#include "step/vocabulary.hpp"
#include "kernel/grid.hpp"
#include "model/prediction.hpp"

namespace weft {

// [vectors]
/// Three vectors on the device. Element i of c is to become the sum of the elements i of a and b.
struct Vectors {
  const float* a;
  const float* b;
  float* c;
  std::int64_t count;  ///< elements to be added, from the first one that the step is asked for
};
// [vectors]

/// Queues what adds the vectors; count is at least 1.
using Launch = void (*)(cudaStream_t, Vectors);
using LaunchWith = void (*)(cudaStream_t, Vectors, int value);
using LaunchWithBlock = void (*)(cudaStream_t, Vectors, dim3 block);
using LaunchMatrix = void (*)(cudaStream_t, Vectors, std::int64_t rows, std::int64_t columns, dim3);

/// What a step is expected to count at a number of elements; empty where it is not predicted.
using Predict = model::Metrics (*)(std::int64_t count);
using PredictWith = model::Metrics (*)(std::int64_t count, int value);
using PredictMatrix = model::Metrics (*)(std::int64_t rows, std::int64_t columns, dim3);

/// Which of the elements of its arrays a step adds; all others must stay as they were.
struct Chosen {
  std::int64_t first = 0;                  ///< the arrays have so many elements more than are added
  std::int64_t stride = 1;                 ///< of the elements from the first on, each so many-th
  std::array<std::int64_t, 3> shift = {};  ///< elements by which a, b and c begin beyond an aligned address
  /// Which element of b belongs to an element of c, where each vector has `count`; none: the one of the same
  /// number.
  std::int64_t (*partner)(std::int64_t element, std::int64_t count) = nullptr;
};

/// What is done with the chosen elements, and rated: a sum of two, or a copy of a.
enum class Work : std::uint8_t { add, copy };

inline constexpr std::int64_t few = std::int64_t{1} << 20;  ///< elements at which all steps are counted
inline constexpr std::int64_t of_sources = std::int64_t{1}
                                           << 23;             ///< elements that sources 000 and 002 added
inline constexpr std::int64_t usual = std::int64_t{1} << 26;  ///< elements at which all steps are timed
inline constexpr std::int64_t many = std::int64_t{1} << 28;   ///< elements at which adds meet the libraries

/// A step with one kernel. Its constructors register everything that its program can do; what can be
/// compared with the libraries is timed at two sizes.
class Step {
 public:
  Step(const char* name, dim3 block, Launch launch, Predict predict, Kind kind = Kind::step,
       Work work = Work::add);

  /// A kernel that is tried with several blocks, the default first.
  Step(const char* name, const std::vector<dim3>& blocks, LaunchWithBlock launch, Predict predict);

  /// A call of a library: it is timed, but its kernels are not ours to count.
  Step(const char* name, Launch launch, Kind kind, Work work = Work::add);
};

/// A step that is run with each value of a parameter.
class Sweep {
 public:
  /// @param chosen from a value, which elements are added
  /// @param measured,counted elements at which it is timed and counted
  Sweep(const char* name, const char* parameter, const std::vector<int>& values, Chosen (*chosen)(int value),
        dim3 block, LaunchWith launch, PredictWith predict,
        const std::vector<std::int64_t>& measured = {usual},
        const std::vector<std::int64_t>& counted = {few});
};

/// Elements by which a, b and c begin beyond an aligned address.
using Shift = std::array<std::int64_t, 3>;
using PredictShifted = model::Metrics (*)(std::int64_t count, const Shift& shift);

/// A step whose vectors begin beyond aligned addresses.
class Misaligned {
 public:
  Misaligned(const char* name, const std::vector<Shift>& shifts, dim3 block, Launch launch,
             PredictShifted predict);
};

/// @throws std::invalid_argument if a vector does not begin on a multiple of so many bytes, as an access of
/// that width must
void require_aligned(const Vectors& vectors, int bytes);

/// A step whose shape is that of a matrix, which is added with each of several blocks.
class MatrixStep {
 public:
  MatrixStep(const char* name, const std::vector<dim3>& blocks, LaunchMatrix launch, PredictMatrix predict);
};

/// How the coordinates of points lie in memory.
enum class Layout : std::uint8_t { structures, padded_structures, arrays };

/// A step that adds points, of which b has its axes in the order y, z, x. Its shape counts points; it is
/// rated by three floats for each.
class PointsStep {
 public:
  PointsStep(const char* name, dim3 block, Layout layout, Launch launch, Predict predict);
};

/// A step whose vectors hold bytes or shorts, which wrap around when they are added.
template <typename T>
class NarrowStep {
 public:
  using Launch = void (*)(cudaStream_t, const T* a, const T* b, T* c, std::int64_t count);
  NarrowStep(const char* name, dim3 block, Launch launch, Predict predict);
};

/// Whether the PTX of this program's kernels has these words.
bool own_ptx_has(const char* words);

/// The parameter that names a block's extents.
Parameters block_parameter(dim3 block);

// [index]
/// The number of this thread in a grid of one dimension.
__device__ inline std::int64_t thread_index() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

/// The grid of one dimension that has a thread for each of `threads`.
inline dim3 grid_for(std::int64_t threads, dim3 block) { return grid_over(threads, 1, block); }
// [index]

}  // namespace weft

using namespace weft;  // a step is a program of its own
