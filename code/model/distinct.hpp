#pragma once

namespace weft::model {

/// Up to `capacity` values, each kept once, without the heap. It does without the library's algorithms, too:
/// every step reads these headers three times, and would spend more on sorting code than on its own kernel.
template <class Value, int capacity>
class Distinct {
 public:
  constexpr void insert(const Value& value) {
    for (const Value& known : *this) {
      if (known == value) return;
    }
    values_[size_++] = value;
  }

  [[nodiscard]] constexpr int size() const { return size_; }
  [[nodiscard]] constexpr const Value* begin() const { return values_; }
  [[nodiscard]] constexpr const Value* end() const { return values_ + size_; }

 private:
  Value values_[capacity]{};
  int size_ = 0;
};

}  // namespace weft::model
