#include "multiply.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "check/arrays.hpp"
#include "check/small_integer.hpp"
#include "step/mismatch.hpp"
#include "step/step.hpp"

namespace weft {
namespace {

class Multiply final : public ArrayProblem {
 public:
  /// @throws OutOfDeviceMemory if there is no room for the matrices
  Multiply(Shape shape, Setting setting, Order order, const LaunchMultiply& launch)
      : shape_(std::move(shape)),
        setting_(std::move(setting)),
        order_(order),
        launch_(launch),
        a_(input<float>("A", {rows(), inner()}, small_integer)),
        b_(input<float>("B", {inner() * columns()}, small_integer_of_second)),
        c_(output<float>("C", {rows(), columns()}, [this](std::uint64_t seed, std::int64_t index) {
          return seed == this->seed() ? expected_[static_cast<std::size_t>(index)] : before(index);
        })) {}

  void fill(std::uint64_t seed) override {
    previous_ = std::exchange(expected_, {});
    ArrayProblem::fill(seed);
  }

  /// An empty result launches nothing: CUDA refuses an empty grid.
  void launch(cudaStream_t stream) override {
    if (c_.size() == 0) return;
    launch_(shape_, setting_, stream, {a_.data(), b_.data(), c_.data(), rows(), inner(), columns()});
  }

  Verdict verify() override {
    multiply();
    return ArrayProblem::verify();
  }

 private:
  [[nodiscard]] std::int64_t rows() const { return shape_.at(0); }
  [[nodiscard]] std::int64_t inner() const { return shape_.at(1); }
  [[nodiscard]] std::int64_t columns() const { return shape_.at(2); }

  /// What C held after the launch before.
  [[nodiscard]] float before(std::int64_t index) const {
    return previous_.empty() ? weft::poison<float>() : previous_[static_cast<std::size_t>(index)];
  }

  /// The reference, row by row.
  void multiply() {
    std::vector<float> b(static_cast<std::size_t>(b_.size()));  // row by row, however it lies on the device
    for (std::int64_t k = 0; k < inner(); ++k) {
      for (std::int64_t column = 0; column < columns(); ++column) {
        const std::int64_t place = order_ == Order::by_rows ? k * columns() + column : column * inner() + k;
        b[static_cast<std::size_t>(k * columns() + column)] = small_integer_of_second(seed(), place);
      }
    }
    expected_.assign(static_cast<std::size_t>(c_.size()), 0);
    for_each_range(0, rows(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        float* const sums = expected_.data() + row * columns();
        for (std::int64_t k = 0; k < inner(); ++k) {
          const float factor = small_integer(seed(), row * inner() + k);
          const float* const other = b.data() + k * columns();
          for (std::int64_t column = 0; column < columns(); ++column) sums[column] += factor * other[column];
        }
      }
    });
  }

  Shape shape_;
  Setting setting_;
  Order order_;
  LaunchMultiply launch_;
  GuardedBuffer<float>& a_;
  GuardedBuffer<float>& b_;
  GuardedBuffer<float>& c_;
  std::vector<float> expected_, previous_;
};

}  // namespace

void add_product(const char* name, const Axes& axes, Order order, const LaunchMultiply& launch,
                 const Predict& predict, Kind kind) {
  for (const Setting& setting : axes.settings()) {
    Variant made(name, setting);
    made.kind = kind;
    made.checked = {{0, 5, 7},    {5, 0, 7},    {5, 7, 0},     {1, 1, 1},     {1, 33, 1},     {31, 32, 33},
                    {33, 31, 32}, {32, 32, 32}, {64, 1, 64},   {37, 41, 43},  {65, 97, 129},  {3, 1031, 5},
                    {1031, 3, 2}, {2, 3, 1031}, {96, 128, 64}, {127, 65, 63}, {257, 129, 513}};
    // Two columns of B lie a multiple of 128 bytes apart, in the second a float more.
    made.measured = {{1024, 1024, 1024}, {1024, 1025, 1024}, {1024, 1056, 1024}};
    made.counted = {{256, 256, 256}};
    made.make = [=](const Shape& shape) { return make_owned<Multiply>(shape, setting, order, launch); };
    made.amounts = [](const Shape& s) {
      return Amounts{.bytes = std::int64_t{sizeof(float)} * (s[0] * s[1] + s[1] * s[2] + s[0] * s[2]),
                     .operations = 2 * s[0] * s[1] * s[2]};
    };
    made.predict = [=](const Shape& shape) { return predict(shape, setting); };
    add(std::move(made));
  }
}

}  // namespace weft
