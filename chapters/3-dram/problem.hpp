#pragma once

/// @file
/// What the programs of this chapter compute, P = M · N for square matrices, and which elements each thread
/// asks for meanwhile.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

#include "check/buffer.hpp"
#include "check/counted.hpp"
#include "kernel/grid.hpp"
#include "model/interleaving.hpp"
#include "model/tiled_product.hpp"
#include "step/step.hpp"

namespace weft {

// [matrices]
/// Square matrices on the device, row by row. P is to become M · N.
struct SquareMatrices {
  const float* m;
  const float* n;
  float* p;
  std::int64_t width;
};
// [matrices]

/// Queues what multiplies the matrices; their width is at least 1.
using Launch = void (*)(cudaStream_t, const SquareMatrices&);

/// What a product is expected to count where its tiles divide the matrices; may be null.
using Predict = model::Prediction (*)(std::int64_t width);

/// Registers a product. Its shape is the width of the matrices. They are small integers, whose sums are
/// exact. It is counted and not timed: so few bytes say nothing about a DRAM.
void add_product(const char* name, Launch launch, Predict predict);

/// Where the toy's bursts lie: two floats each, in four channels of two banks (source 003).
inline constexpr model::Interleaving toy{8, 4, 2, model::Turn::channel};

// [noted]
/// A matrix that notes which of its elements each thread asks for, in order. A kernel takes it in the place
/// of a `const float*`.
class Noted {
 public:
  Noted(const float* elements, std::int64_t* notes, std::int64_t loads)
      : elements_(elements), notes_(notes), loads_(loads) {}

  __device__ float operator[](std::int64_t index) {
    const std::int64_t block = block_y() * gridDim.x + block_x();
    const std::int64_t thread = (block * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    notes_[thread * loads_ + done_++] = index;
    return elements_[index];
  }

 private:
  const float* elements_;
  std::int64_t* notes_;
  std::int64_t loads_;  // of a thread
  std::int64_t done_ = 0;
};
// [noted]

/// The elements of M and of N that each thread asked for, load by load.
struct Notes {
  Numbers of_m, of_n;
};

/// Launches a product whose matrices note what is asked for.
/// @param launch takes M and N, both Noted, and P; each thread loads `width / tile` elements of each matrix
/// @param width a multiple of `tile`
/// @return notes in the order of blocks along the width, of threads in them, and of their loads
template <typename LaunchNoted>
Notes noted_loads(std::int64_t width, std::int64_t tile, const LaunchNoted& launch) {
  const std::int64_t size = width * width, loads = width / tile;
  GuardedBuffer<float> m(size), n(size), p(size);
  GuardedBuffer<std::int64_t> of_m(size * loads), of_n(size * loads);
  m.poison();
  n.poison();
  launch(Noted{m.data(), of_m.data(), loads}, Noted{n.data(), of_n.data(), loads}, p.data());
  cuda_check(cudaDeviceSynchronize());
  const auto count = static_cast<std::size_t>(of_m.size());
  Notes notes{Numbers(count), Numbers(count)};
  of_m.copy_out(0, of_m.size(), notes.of_m.data());
  of_n.copy_out(0, of_n.size(), notes.of_n.data());
  return notes;
}

/// How many channels the loads of a phase touch: the number `phase` of each thread.
std::int64_t channels_of(const Numbers& notes, std::int64_t phases, std::int64_t phase);

}  // namespace weft

using namespace weft;
