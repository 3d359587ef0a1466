#pragma once

#include <algorithm>
#include <array>

namespace weft::model {

/// Room for up to `capacity` values, to be counted without the heap.
template <class Value, int capacity>
class Bag {
 public:
  constexpr void insert(Value value) { values_[size_++] = value; }

  /// Sorts the values and drops those that repeat.
  constexpr const Bag& make_distinct() {
    const auto first = values_.begin();
    std::sort(first, first + size_);
    size_ = static_cast<int>(std::unique(first, first + size_) - first);
    return *this;
  }

  [[nodiscard]] constexpr int size() const { return size_; }
  [[nodiscard]] constexpr const Value* begin() const { return values_.data(); }
  [[nodiscard]] constexpr const Value* end() const { return values_.data() + size_; }

 private:
  std::array<Value, capacity> values_{};
  int size_ = 0;
};

}  // namespace weft::model
