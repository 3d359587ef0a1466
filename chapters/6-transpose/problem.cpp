#include "problem.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "check/buffer.hpp"
#include "check/compare.hpp"
#include "step/shapes.hpp"
#include "step/step.hpp"

namespace weft {
namespace {

std::vector<Shape> measured_shapes() { return {{4096, 4096}, {8192, 8192}, {16384, 16384}, {8191, 8209}}; }
std::vector<Shape> measured_with_other_blocks() { return {{4096, 4096}, {8192, 8192}}; }
std::vector<Shape> counted_shapes() { return {{1024, 1024}}; }

/// Shapes that break any kernel, and those on the edges of this chapter's tiles, from 4 × 4 to 64 × 256.
std::vector<Shape> checked_shapes() {
  std::vector<Shape> shapes = adversarial_shapes(32, 32);
  for (const Shape& shape : adversarial_shapes(64, 64)) {
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  for (const std::int64_t rows : {60, 64, 124, 128, 132}) {
    for (const std::int64_t columns : {252, 255, 256, 257, 260}) shapes.push_back({rows, columns});
  }
  return shapes;
}

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

template <typename T>
using Queue = std::function<void(cudaStream_t, Matrix<const T> in, Matrix<T> out)>;

/// A matrix to be moved, and one of the right shape to move it to.
template <typename T, Result result>
class Move final : public Problem {
 public:
  /// @throws OutOfDeviceMemory if there is no room for both matrices
  Move(const Shape& shape, Queue<T> launch)
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
  Queue<T> launch_;
  GuardedBuffer<T> in_, out_;
  std::uint64_t seed_ = 0, previous_seed_ = 0;
};

/// What the steps' variants have in common.
template <typename T, Result result>
Variant variant_of(const char* name, const Parameters& parameters, const Queue<T>& launch,
                   const std::function<model::Metrics(std::int64_t rows, std::int64_t columns)>& predict) {
  Variant made;
  made.step = name;
  made.parameters = by_name(parameters);
  made.checked = checked_shapes();
  made.checked_large = large_shapes();
  made.measured = measured_shapes();
  made.counted = counted_shapes();
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

}  // namespace

Parameters block_parameter(dim3 block) { return {{"block", {block.x, block.y}}}; }

template <typename T, Result result>
Variant Step<T, result>::variant(const char* name, const Parameters& parameters, Launch<T> launch,
                                 Predict predict) {
  return variant_of<T, result>(name, parameters, launch, predict);
}

template <typename T, Result result>
Step<T, result>::Step(const char* name, dim3 block, Launch<T> launch, Predict predict, Kind kind) {
  Variant added = variant(name, block_parameter(block), launch, predict);
  added.kind = kind;
  add(std::move(added));
}

template <typename T, Result result>
Step<T, result>::Step(const char* name, const std::vector<dim3>& blocks, LaunchWithBlock<T> launch,
                      PredictWithBlock predict) {
  for (const dim3& block : blocks) {
    const auto launch_so = [=](cudaStream_t stream, Matrix<const T> in, Matrix<T> out) {
      launch(stream, in, out, block);
    };
    const auto predict_so = [=](std::int64_t rows, std::int64_t columns) {
      return predict(rows, columns, block);
    };
    Variant added = variant_of<T, result>(name, block_parameter(block), launch_so, predict_so);
    if (&block != &blocks.front()) {
      added.measured = measured_with_other_blocks();
      added.checked_large.clear();  // the kernel is the same
    }
    add(std::move(added));
  }
}

template <typename T, Result result>
Step<T, result>::Step(const char* name, Launch<T> launch, Kind kind) {
  Variant added = variant(name, {}, launch, nullptr);
  added.kind = kind;
  added.counted.clear();
  add(std::move(added));
}

template class Step<float, Result::copy>;
template class Step<float, Result::transpose>;
template class Step<double, Result::transpose>;

}  // namespace weft
