#include "multiply.hpp"

#include <bit>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "check/buffer.hpp"
#include "check/compare.hpp"
#include "step/step.hpp"

namespace weft {
namespace {

/// An integer from -8 to 7, as a float: the sum of 2^18 products of two of them is still exact.
float small_integer(std::uint64_t seed, std::int64_t index) {
  const auto bits = std::bit_cast<std::uint32_t>(hashed_float(seed, index));
  return static_cast<float>(static_cast<int>(bits >> 8 & 15U) - 8);
}

class Multiply final : public Problem {
 public:
  /// @throws OutOfDeviceMemory if there is no room for the matrices
  Multiply(const Shape& shape, Order order, LaunchMultiply launch)
      : rows_(shape.at(0)),
        inner_(shape.at(1)),
        columns_(shape.at(2)),
        order_(order),
        launch_(launch),
        a_(rows_ * inner_),
        b_(inner_ * columns_),
        c_(rows_ * columns_) {}

  void fill(std::uint64_t seed) override {
    seed_ = seed;
    previous_ = std::move(expected_);
    expected_.clear();
    a_.fill([this](std::int64_t index) { return small_integer(seed_, index); });
    b_.fill([this](std::int64_t index) { return small_integer(seed_ + of_b, index); });
  }

  void poison(cudaStream_t stream) override { c_.poison(stream); }

  /// An empty result launches nothing: CUDA refuses an empty grid.
  void launch(cudaStream_t stream) override {
    if (c_.size() > 0) launch_(stream, {a_.data(), b_.data(), c_.data(), rows_, inner_, columns_});
  }

  std::optional<Mismatch> verify() override {
    multiply();
    const auto expected = [this](std::int64_t index) { return expected_[static_cast<std::size_t>(index)]; };
    const auto before = [this](std::int64_t index) {
      return previous_.empty() ? weft::poison<float>() : previous_[static_cast<std::size_t>(index)];
    };
    if (auto mismatch = compare(c_, {"C", {rows_, columns_}}, expected, before)) return mismatch;
    const auto filled = [this](std::uint64_t of) {
      return [this, of](std::int64_t index) { return small_integer(seed_ + of, index); };
    };
    if (auto mismatch = unchanged(a_, {"A", {rows_, inner_}}, filled(0))) return mismatch;
    return unchanged(b_, {"B", {b_.size()}}, filled(of_b));
  }

 private:
  static constexpr std::uint64_t of_b = 1000;  // what B's seed has more than A's

  /// The reference, row by row.
  void multiply() {
    std::vector<float> b(static_cast<std::size_t>(b_.size()));  // row by row, however it lies on the device
    for (std::int64_t k = 0; k < inner_; ++k) {
      for (std::int64_t column = 0; column < columns_; ++column) {
        const std::int64_t place = order_ == Order::by_rows ? k * columns_ + column : column * inner_ + k;
        b[static_cast<std::size_t>(k * columns_ + column)] = small_integer(seed_ + of_b, place);
      }
    }
    expected_.assign(static_cast<std::size_t>(c_.size()), 0);
    for_each_range(0, rows_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        float* const sums = expected_.data() + row * columns_;
        for (std::int64_t k = 0; k < inner_; ++k) {
          const float factor = small_integer(seed_, row * inner_ + k);
          const float* const other = b.data() + k * columns_;
          for (std::int64_t column = 0; column < columns_; ++column) sums[column] += factor * other[column];
        }
      }
    });
  }

  std::int64_t rows_, inner_, columns_;
  Order order_;
  LaunchMultiply launch_;
  GuardedBuffer<float> a_, b_, c_;
  std::uint64_t seed_ = 0;
  std::vector<float> expected_, previous_;
};

}  // namespace

MultiplyStep::MultiplyStep(const char* name, const Parameters& parameters, Order order, LaunchMultiply launch,
                           PredictMultiply predict) {
  Variant made;
  made.step = name;
  made.parameters = by_name(parameters);
  made.checked = {{0, 5, 7},    {5, 0, 7},    {5, 7, 0},     {1, 1, 1},     {1, 33, 1},     {31, 32, 33},
                  {33, 31, 32}, {32, 32, 32}, {64, 1, 64},   {37, 41, 43},  {65, 97, 129},  {3, 1031, 5},
                  {1031, 3, 2}, {2, 3, 1031}, {96, 128, 64}, {127, 65, 63}, {257, 129, 513}};
  made.measured = {{1024, 1024, 1024}};
  made.counted = {{256, 256, 256}};
  made.make = [=](const Shape& shape) { return std::make_unique<Multiply>(shape, order, launch); };
  made.bytes = [](const Shape& s) {
    return std::int64_t{sizeof(float)} * (s[0] * s[1] + s[1] * s[2] + s[0] * s[2]);
  };
  made.flops = [](const Shape& s) { return 2 * s[0] * s[1] * s[2]; };
  made.predict = [predict](const Shape& s) { return predict(s[0], s[1], s[2]); };
  add(std::move(made));
}

}  // namespace weft
