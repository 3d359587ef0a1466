#pragma once

/// @file
/// What the steps of this chapter solve: c = a + b, where a, b and c are vectors of floats, or rows of a
/// matrix, or points, or small integers. What differs is which lane asks for which element.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>

#include "check/counted.hpp"
#include "kernel/grid.hpp"
#include "model/prediction.hpp"
#include "step/axes.hpp"

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
using Launch = StepFunction<void(cudaStream_t, Vectors)>;

/// What a step is expected to count at a number of elements.
using Predict = StepFunction<model::Prediction()>;

/// Elements by which a, b and c begin beyond an aligned address.
using Shift = Numbers;

/// Which of the elements of its arrays a step adds; all others must stay as they were.
struct Selection {
  std::int64_t first = 0;   ///< elements in front of those that are added, in all arrays
  std::int64_t stride = 1;  ///< from one added element to the next
  bool packed = false;      ///< whether their sums lie side by side in c
  Shift shift = {0, 0, 0};
  /// Which element of b belongs to an element of c, where each vector has `count`; none: the one of the same
  /// number.
  std::int64_t (*partner)(std::int64_t element, std::int64_t count) = nullptr;
};

/// What is to hold on the device while a variant's vectors live.
struct Surroundings {
  std::size_t (*enter)(const Setting&) = nullptr;  ///< @return what held before
  void (*leave)(std::size_t before) = nullptr;     ///< makes it hold again
};

/// What is inside of surroundings as long as it lives.
class Inside {
 public:
  Inside(const Surroundings& surroundings, const Setting& setting) : leave_(surroundings.leave) {
    if (leave_ != nullptr) before_ = surroundings.enter(setting);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    if (leave_ != nullptr) leave_(before_);
  }

 private:
  void (*leave_)(std::size_t before);
  std::size_t before_ = 0;
};

/// What is done with the selected elements, and rated: a sum of two, or a copy of a.
enum class Work : std::uint8_t { add, copy };

inline constexpr std::int64_t counted_size = std::int64_t{1} << 20;  ///< elements at which steps are counted
inline constexpr std::int64_t size_of_sources = std::int64_t{1} << 23;  ///< that sources 000 and 002 added
inline constexpr std::int64_t timed_size = std::int64_t{1} << 26;       ///< at which steps are timed
inline constexpr std::int64_t large_size = std::int64_t{1} << 28;       ///< at which adds meet the libraries

/// What few steps have.
struct VectorOptions {
  Kind kind = Kind::step;
  Work work = Work::add;
  Selection (*selection)(const Setting&) = nullptr;  ///< from the variant's parameters; none: all elements
  Surroundings surroundings = {};                    ///< entered before the vectors are made
  bool curve = false;                                ///< its variants are read as one curve
  Numbers measured = {timed_size, large_size};
  Numbers counted = {counted_size, size_of_sources};
};

/// Registers a step that adds or copies vectors; its shape is their number of elements. What is not
/// predicted, a call of a library, is timed and not counted: its kernels are not ours.
void add_vectors(const char* name, const Axes& axes, const Launch& launch, const Predict& predict = {},
                 const VectorOptions& options = {});

/// @throws std::invalid_argument if a vector does not begin on a multiple of so many bytes, as an access of
/// that width must
void require_aligned(const Vectors& vectors, int bytes);

/// Registers a step whose shape is that of a matrix, which is added with each of several blocks.
void add_matrices(const char* name, const Axes& blocks, const Launch& launch, const Predict& predict,
                  Kind kind = Kind::step);

/// How the coordinates of points lie in memory.
enum class Layout : std::uint8_t { structures, padded_structures, arrays };

/// Registers a step that adds points, of which b has its axes in the order y, z, x. Its shape counts points;
/// it is rated by three floats for each.
void add_points(const char* name, const Axes& axes, Layout layout, const Launch& launch,
                const Predict& predict, Kind kind = Kind::step);

template <typename T>
using LaunchNarrow = StepFunction<void(cudaStream_t, const T* a, const T* b, T* c, std::int64_t count)>;

/// Registers a step whose vectors hold bytes or shorts, which wrap around when they are added.
/// @tparam T std::uint8_t or std::uint16_t
template <typename T>
void add_narrow(const char* name, const Axes& axes, const LaunchNarrow<T>& launch, const Predict& predict,
                Kind kind = Kind::step);

/// How many instructions of a kernel's PTX begin so: `ld.global.`.
int ptx_count(const char* kernel, const char* instruction);

// [index]
/// The number of this thread in a grid of one dimension.
__device__ inline std::int64_t thread_index() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

/// The grid of one dimension that has a thread for each of `threads`.
inline dim3 grid_for(std::int64_t threads, dim3 block) { return grid_over(threads, 1, block); }
// [index]

}  // namespace weft

using namespace weft;  // a step is a program of its own
