#pragma once

/// @file
/// What the arrays of a problem do, for whoever has elements of a type of his own: `template class
/// ArrayOf<Link>;` in one of his sources.

#include "check/arrays.hpp"
#include "check/compare.hpp"

namespace weft {

template <typename T>
ArrayOf<T>::ArrayOf(const char* name, Shape shape, bool written, Values<T> values)
    : AnyArray(written),
      name_(name),
      shape_(std::move(shape)),
      values_(std::move(values)),
      buffer_(elements(shape_)) {}

template <typename T>
void ArrayOf<T>::fill(std::uint64_t seed) {
  if (is_written()) return;
  buffer_.fill_ranges(
      [&](std::int64_t first, std::int64_t last, T* values) { values_(seed, first, last, values); });
}

template <typename T>
void ArrayOf<T>::poison(cudaStream_t stream) {
  if (is_written()) buffer_.poison(stream);
}

template <typename T>
Verdict ArrayOf<T>::verify(std::uint64_t seed, std::uint64_t previous) const {
  const ArrayName named{name_, shape_};
  const auto is_right = [&](std::int64_t first, std::int64_t last, T* values) {
    values_(seed, first, last, values);
  };
  if (detail::holds(buffer_, is_right)) return detail::touched_guard(buffer_, named);
  const auto value = [this](std::uint64_t of) {
    return [this, of](std::int64_t index) {
      T one{};
      values_(of, index, index + 1, &one);
      return one;
    };
  };
  return is_written() ? compare(buffer_, named, value(seed), value(previous))
                      : unchanged(buffer_, named, value(seed));
}

}  // namespace weft
