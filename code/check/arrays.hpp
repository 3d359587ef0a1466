#pragma once

/// @file
/// A problem made of arrays: inputs whose elements follow from a seed, and outputs that must hold what
/// follows from it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check/buffer.hpp"
#include "check/compare.hpp"
#include "step/shapes.hpp"
#include "step/step.hpp"

namespace weft {

/// A problem made of arrays on the device: filled, poisoned and verified together. Elements are compared bit
/// by bit. What is left to say is its launch.
class ArrayProblem : public Problem {
 public:
  /// An array that a launch may read and must leave as it is.
  /// @param shape extents for reports; their product is the array's size
  /// @param value of an element: `value(seed, index)`
  /// @throws OutOfDeviceMemory if there is no room
  template <typename T, typename Value>
  GuardedBuffer<T>& input(const char* name, const Shape& shape, Value value) {
    return keep(inputs_, std::make_unique<Input<T, Value>>(ArrayName{name, shape}, std::move(value)));
  }

  /// An array that a launch writes: what belongs at an element, `expected(seed, index)`; an element that
  /// nobody may write expects poison.
  /// @throws OutOfDeviceMemory if there is no room
  template <typename T, typename Expected>
  GuardedBuffer<T>& output(const char* name, const Shape& shape, Expected expected) {
    return keep(outputs_, std::make_unique<Output<T, Expected>>(ArrayName{name, shape}, std::move(expected)));
  }

  /// Numbers on the device that a launch may write for its step to report; nobody verifies them.
  /// @throws OutOfDeviceMemory if there is no room
  std::int64_t* numbers(std::int64_t count = 1) { return numbers_.emplace(count).data(); }

  /// The numbers that the last launch wrote.
  [[nodiscard]] std::vector<std::int64_t> written_numbers() const {
    if (!numbers_) throw std::logic_error("this problem has no numbers");
    std::vector<std::int64_t> written(static_cast<std::size_t>(numbers_->size()));
    numbers_->copy_out(0, numbers_->size(), written.data());
    return written;
  }

  /// What a launch is.
  void launches(std::function<void(cudaStream_t)> launch) { launch_ = std::move(launch); }

  void launch(cudaStream_t stream) override { launch_(stream); }

  void fill(std::uint64_t seed) override {
    previous_seed_ = std::exchange(seed_, seed);
    for (const auto& array : inputs_) array->fill(seed);
  }

  void poison(cudaStream_t stream) override {
    for (const auto& array : outputs_) array->poison(stream);
  }

  std::optional<Mismatch> verify() override {
    for (const auto* arrays : {&outputs_, &inputs_}) {
      for (const auto& array : *arrays) {
        if (auto mismatch = array->verify(seed_, previous_seed_)) return mismatch;
      }
    }
    return std::nullopt;
  }

 protected:
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

 private:
  /// One array, whatever its elements are.
  class Array {
   public:
    Array() = default;
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    virtual ~Array() = default;
    virtual void fill(std::uint64_t /*seed*/) {}
    virtual void poison(cudaStream_t /*stream*/) {}
    virtual std::optional<Mismatch> verify(std::uint64_t seed, std::uint64_t previous) const = 0;
  };

  template <typename T>
  class ArrayOf : public Array {
   public:
    explicit ArrayOf(ArrayName named) : named_(std::move(named)), buffer(elements(named_.shape)) {}

   protected:
    ArrayName named_;

   public:
    GuardedBuffer<T> buffer;
  };

  template <typename T, typename Value>
  class Input final : public ArrayOf<T> {
   public:
    Input(ArrayName named, Value value) : ArrayOf<T>(std::move(named)), value_(std::move(value)) {}
    void fill(std::uint64_t seed) override {
      this->buffer.fill([&](std::int64_t index) { return value_(seed, index); });
    }
    [[nodiscard]] std::optional<Mismatch> verify(std::uint64_t seed, std::uint64_t) const override {
      return unchanged(this->buffer, this->named_, [&](std::int64_t index) { return value_(seed, index); });
    }

   private:
    Value value_;
  };

  template <typename T, typename Expected>
  class Output final : public ArrayOf<T> {
   public:
    Output(ArrayName named, Expected expected)
        : ArrayOf<T>(std::move(named)), expected_(std::move(expected)) {}
    void poison(cudaStream_t stream) override { this->buffer.poison(stream); }
    [[nodiscard]] std::optional<Mismatch> verify(std::uint64_t seed, std::uint64_t previous) const override {
      const auto of = [this](std::uint64_t any) {
        return [this, any](std::int64_t index) { return expected_(any, index); };
      };
      return compare(this->buffer, this->named_, of(seed), of(previous));
    }

   private:
    Expected expected_;
  };

  using Arrays = std::vector<std::unique_ptr<Array>>;

  template <typename Kept>
  static auto& keep(Arrays& arrays, std::unique_ptr<Kept> array) {
    auto& buffer = array->buffer;
    arrays.push_back(std::move(array));
    return buffer;
  }

  Arrays inputs_, outputs_;
  std::optional<GuardedBuffer<std::int64_t>> numbers_;
  std::function<void(cudaStream_t)> launch_;
  std::uint64_t seed_ = 0, previous_seed_ = 0;
};

/// The numbers that an ArrayProblem's last launch wrote.
inline std::vector<std::int64_t> written_numbers(Problem& problem) {
  return dynamic_cast<ArrayProblem&>(problem).written_numbers();
}

/// What reads a quantity that an ArrayProblem's launch writes as its first number, times a factor.
inline std::function<double(Problem&)> written_number(double factor = 1) {
  return [=](Problem& problem) { return factor * static_cast<double>(written_numbers(problem).front()); };
}

}  // namespace weft
