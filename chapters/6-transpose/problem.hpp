#pragma once

/// @file
/// What every step of this chapter solves: move a matrix of 4-byte elements, as it is or transposed.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "check/buffer.hpp"
#include "check/compare.hpp"
#include "check/device.hpp"
#include "check/shapes.hpp"
#include "check/step.hpp"
#include "grid.hpp"
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

// [shapes]
inline const std::vector<Shape> measured_shapes{{4096, 4096}, {8192, 8192}, {16384, 16384}, {8191, 8209}};
inline const std::vector<Shape> counted_shapes{{1024, 1024}};

/// Shapes that break any kernel, and those on the edges of this chapter's tiles, from 4 × 4 to 64 × 256.
inline std::vector<Shape> checked_shapes() {
  std::vector<Shape> shapes = adversarial_shapes(32, 32);
  for (const Shape& shape : adversarial_shapes(64, 64)) {
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  for (const std::int64_t rows : {60, 64, 124, 128, 132}) {
    for (const std::int64_t columns : {252, 255, 256, 257, 260}) shapes.push_back({rows, columns});
  }
  return shapes;
}
// [shapes]

/// What a problem asks for: the matrix as it is, or transposed.
enum class Result : std::uint8_t { copy, transpose };

/// The element of an input; double precision gets the bits that a float does not have from a second one.
template <typename T>
T input_element(std::uint64_t seed, std::int64_t index) {
  if constexpr (std::is_same_v<T, float>) {
    return hashed_float(seed, index);
  } else {
    static_assert(std::is_same_v<T, double>);
    constexpr std::uint64_t low_bits = (1U << 29) - 1;
    const double value = hashed_float(seed, index);
    const auto extra = std::bit_cast<std::uint32_t>(hashed_float(seed + 1, index));
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | (extra & low_bits));
  }
}

// [problem]
/// Queues what moves the elements of the first matrix to where they belong in the second one.
template <typename T>
using Launch = std::function<void(cudaStream_t, Matrix<const T>, Matrix<T>)>;

/// A matrix to be moved, and one of the right shape to move it to.
template <typename T, Result result>
class Move final : public Problem {
 public:
  /// @throws OutOfDeviceMemory if there is no room for both matrices
  Move(const Shape& shape, Launch<T> launch)
      : rows_(shape.at(0)),
        columns_(shape.at(1)),
        launch_(std::move(launch)),
        in_(rows_ * columns_),
        out_(rows_ * columns_) {}

  void fill(std::uint64_t seed) override {
    previous_seed_ = std::exchange(seed_, seed);
    in_.fill([seed](std::int64_t index) { return input_element<T>(seed, index); });
  }

  void poison(cudaStream_t stream) override { out_.poison(stream); }

  /// An empty matrix launches nothing: CUDA refuses an empty grid.
  void launch(cudaStream_t stream) override {
    if (in_.size() == 0) return;
    launch_(stream, {in_.data(), rows_, columns_}, {out_.data(), out_rows(), out_columns()});
  }

  /// A move rounds nothing, so that every bit counts.
  std::optional<Mismatch> verify() override {
    const auto expected = [this](std::uint64_t seed) {
      return [this, seed](std::int64_t index) { return input_element<T>(seed, source(index)); };
    };
    const Named output{"output", {out_rows(), out_columns()}};
    if (auto mismatch = compare(out_, output, expected(seed_), expected(previous_seed_))) return mismatch;
    const Named input{"input", {rows_, columns_}};
    return unchanged(in_, input, [this](std::int64_t index) { return input_element<T>(seed_, index); });
  }

 private:
  [[nodiscard]] std::int64_t out_rows() const { return result == Result::copy ? rows_ : columns_; }
  [[nodiscard]] std::int64_t out_columns() const { return result == Result::copy ? columns_ : rows_; }

  /// The reference: which element of the input belongs into this element of the output.
  [[nodiscard]] std::int64_t source(std::int64_t index) const {
    if (result == Result::copy) return index;
    const std::int64_t out_row = index / rows_;
    const std::int64_t out_column = index % rows_;
    return out_column * columns_ + out_row;
  }

  std::int64_t rows_, columns_;
  Launch<T> launch_;
  GuardedBuffer<T> in_, out_;
  std::uint64_t seed_ = 0, previous_seed_ = 0;
};
// [problem]

// [variant]
/// What a step does in every size: how it is launched, and what is expected of it.
template <typename T, Result result>
class Step {
 public:
  using Predict = std::function<model::Metrics(std::int64_t rows, std::int64_t columns)>;

  /// A kernel with one block shape.
  Step(std::string name, dim3 block, const Launch<T>& launch, const Predict& predict,
       Kind kind = Kind::step) {
    Variant added = variant(std::move(name), block_parameter(block), launch, predict);
    added.kind = kind;
    add(std::move(added));
  }

  /// A kernel that is tried with several block shapes, the default first.
  template <typename LaunchWithBlock, typename PredictWithBlock>
  Step(const std::string& name, const std::vector<dim3>& blocks, LaunchWithBlock launch,
       PredictWithBlock predict) {
    for (const dim3& block : blocks) {
      const auto launch_so = [=](cudaStream_t stream, Matrix<const T> in, Matrix<T> out) {
        launch(stream, in, out, block);
      };
      const auto predict_so = [=](std::int64_t rows, std::int64_t columns) {
        return predict(rows, columns, block);
      };
      Variant added = variant(name, block_parameter(block), launch_so, predict_so);
      if (&block != &blocks.front()) added.measured = {{4096, 4096}, {8192, 8192}};
      add(std::move(added));
    }
  }

  /// A call of a library: it is timed, but its kernels, if it has any, are not ours to count.
  Step(std::string name, const Launch<T>& launch, Kind kind) {
    Variant added = variant(std::move(name), {}, launch, {});
    added.kind = kind;
    added.counted.clear();
    add(std::move(added));
  }

  static Parameters block_parameter(dim3 block) { return {{"block", {block.x, block.y}}}; }

  static Variant variant(std::string name, Parameters parameters, const Launch<T>& launch,
                         const Predict& predict) {
    Variant made;
    made.step = std::move(name);
    made.parameters = std::move(parameters);
    made.checked = checked_shapes();
    made.checked_large = large_shapes();
    made.measured = measured_shapes;
    made.counted = counted_shapes;
    made.make = [launch](const Shape& shape) { return std::make_unique<Move<T, result>>(shape, launch); };
    made.bytes = [](const Shape& shape) { return 2 * std::int64_t{sizeof(T)} * elements(shape); };
    made.flops = [](const Shape&) { return 0; };
    if (predict) {
      made.predict = [predict](const Shape& shape) {
        constexpr std::int64_t largest_tile = 256;  // predictions are for tiles without edges
        const bool whole_tiles = shape[0] % largest_tile == 0 && shape[1] % largest_tile == 0;
        return whole_tiles ? predict(shape[0], shape[1]) : model::Metrics{};
      };
    }
    return made;
  }
};

using Copy = Step<float, Result::copy>;
using Transpose = Step<float, Result::transpose>;
// [variant]

}  // namespace weft

using namespace weft;  // a step is a program of its own
