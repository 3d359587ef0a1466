#pragma once

/// @file
/// A problem made of arrays: inputs whose elements follow from a seed, and outputs that must hold what
/// follows from it.

#include <cstdint>
#include <utility>

#include "check/buffer.hpp"
#include "step/function.hpp"
#include "step/shapes.hpp"
#include "step/step.hpp"

namespace weft {

/// The values of the elements [first, last) of an array.
template <typename T>
using Values = Function<void(std::uint64_t seed, std::int64_t first, std::int64_t last, T* values)>;

/// One array of a problem, whatever its elements are.
class AnyArray {
 public:
  explicit AnyArray(bool written) : written_(written) {}
  AnyArray(const AnyArray&) = delete;
  AnyArray& operator=(const AnyArray&) = delete;
  virtual ~AnyArray() = default;
  virtual void fill(std::uint64_t seed) = 0;
  virtual void poison(cudaStream_t stream) = 0;
  virtual Verdict verify(std::uint64_t seed, std::uint64_t previous) const = 0;

  /// Whether a launch writes it; else it must stay as it is.
  [[nodiscard]] bool is_written() const { return written_; }

 private:
  bool written_;
};

/// An array that a launch may read, or one that it writes. What it does is compiled once for each type of
/// element: see array_of.hpp.
template <typename T>
class ArrayOf final : public AnyArray {
 public:
  ArrayOf(const char* name, Shape shape, bool written, Values<T> values);
  void fill(std::uint64_t seed) override;
  void poison(cudaStream_t stream) override;
  Verdict verify(std::uint64_t seed, std::uint64_t previous) const override;

  GuardedBuffer<T>& buffer() { return buffer_; }

 private:
  const char* name_;
  Shape shape_;
  Values<T> values_;
  GuardedBuffer<T> buffer_;
};

/// A problem made of arrays on the device: filled, poisoned and verified together. Elements are compared bit
/// by bit. What is left to say is its launch.
class ArrayProblem : public Problem {
 public:
  ArrayProblem();
  ArrayProblem(const ArrayProblem&) = delete;
  ArrayProblem& operator=(const ArrayProblem&) = delete;
  ~ArrayProblem() override;

  /// An array that a launch may read and must leave as it is.
  /// @param shape extents for reports; their product is the array's size
  /// @param value of an element: `value(seed, index)`; or what writes many at once, like Values
  /// @throws OutOfDeviceMemory if there is no room
  template <typename T, typename Value>
  GuardedBuffer<T>& input(const char* name, const Shape& shape, const Value& value) {
    return add<T>(name, shape, false, value);
  }

  /// An array that a launch writes: what belongs at an element, `expected(seed, index)`, or what writes many
  /// at once; an element that nobody may write expects poison.
  /// @throws OutOfDeviceMemory if there is no room
  template <typename T, typename Expected>
  GuardedBuffer<T>& output(const char* name, const Shape& shape, const Expected& expected) {
    return add<T>(name, shape, true, expected);
  }

  /// Numbers on the device that a launch may write for its step to report; nobody verifies them.
  /// @throws OutOfDeviceMemory if there is no room
  std::int64_t* numbers(std::int64_t count = 1);

  /// The numbers that the last launch wrote; those that no launch wrote are poison.
  [[nodiscard]] Numbers written_numbers() const;

  /// What a launch is.
  void launches(Function<void(cudaStream_t)> launch) { launch_ = std::move(launch); }

  void launch(cudaStream_t stream) override { launch_(stream); }

  void fill(std::uint64_t seed) override;
  void poison(cudaStream_t stream) override;
  Verdict verify() override;

 protected:
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

 private:
  template <typename T, typename Value>
  GuardedBuffer<T>& add(const char* name, const Shape& shape, bool written, const Value& value) {
    auto* const array = new ArrayOf<T>(name, shape, written, many<T>(value));
    own(array);
    return array->buffer();
  }

  template <typename T, typename Value>
  static Values<T> many(const Value& value) {
    if constexpr (std::is_invocable_v<const Value&, std::uint64_t, std::int64_t, std::int64_t, T*>) {
      return value;
    } else {
      return [=](std::uint64_t seed, std::int64_t first, std::int64_t last, T* values) {
        for (std::int64_t i = first; i < last; ++i) values[i - first] = static_cast<T>(value(seed, i));
      };
    }
  }

  void own(AnyArray* array);

  List<Owned<AnyArray>> arrays_;
  Owned<GuardedBuffer<std::int64_t>> numbers_;
  Function<void(cudaStream_t)> launch_;
  std::uint64_t seed_ = 0, previous_seed_ = 0;
};

/// The numbers that an ArrayProblem's last launch wrote.
Numbers written_numbers(Problem& problem);

/// What reads a quantity that an ArrayProblem's launch writes as its first number, times a factor.
Function<double(Problem&)> written_number(double factor = 1);

}  // namespace weft
