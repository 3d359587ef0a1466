#pragma once

/// @file
/// What std::vector is, as far as steps need it: every step includes this, and the standard's takes a third
/// of a step's compilation.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "model/refuse.hpp"

namespace weft {

/// Values in a row.
/// @tparam T can be made from nothing
template <typename T>
class List {  // NOLINT(cppcoreguidelines-special-member-functions): one assignment for both
 public:
  using value_type = T;

  constexpr List() = default;
  constexpr explicit List(std::size_t size)
      : values_(size == 0 ? nullptr : new T[size]{}), size_(size), room_(size) {}
  constexpr List(std::size_t size, const T& value) : List(size) {
    for (T& each : *this) each = value;
  }
  constexpr List(std::initializer_list<T> values) : List(values.size()) { take(values.begin()); }

  constexpr List(const List& other) : List(other.size_) { take(other.values_); }
  constexpr List(List&& other) noexcept
      : values_(std::exchange(other.values_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)) {}
  constexpr List& operator=(List other) noexcept {
    std::swap(values_, other.values_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    return *this;
  }
  constexpr ~List() { delete[] values_; }

  constexpr void push_back(T value) {
    if (size_ == room_) make_room(room_ == 0 ? 4 : 2 * room_);
    values_[size_++] = std::move(value);
  }

  constexpr void append(const List& more) {
    const std::size_t count = more.size_;
    for (std::size_t i = 0; i < count; ++i) push_back(more[i]);
  }

  constexpr void clear() { size_ = 0; }

  constexpr T& operator[](std::size_t place) { return values_[place]; }
  constexpr const T& operator[](std::size_t place) const { return values_[place]; }
  /// @throws std::out_of_range if there is none
  [[nodiscard]] constexpr const T& at(std::size_t place) const {
    if (place >= size_) refuse_place();
    return values_[place];
  }
  [[nodiscard]] constexpr T& front() { return values_[0]; }
  [[nodiscard]] constexpr const T& front() const { return values_[0]; }
  [[nodiscard]] constexpr T& back() { return values_[size_ - 1]; }
  [[nodiscard]] constexpr const T& back() const { return values_[size_ - 1]; }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr T* data() { return values_; }
  [[nodiscard]] constexpr const T* data() const { return values_; }
  [[nodiscard]] constexpr T* begin() { return values_; }
  [[nodiscard]] constexpr const T* begin() const { return values_; }
  [[nodiscard]] constexpr T* end() { return values_ + size_; }
  [[nodiscard]] constexpr const T* end() const { return values_ + size_; }

  constexpr bool operator==(const List& other) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < size_; ++i) {
      if (!(values_[i] == other.values_[i])) return false;
    }
    return true;
  }

 private:
  constexpr void take(const T* from) {
    for (std::size_t i = 0; i < size_; ++i) values_[i] = from[i];
  }

  constexpr void make_room(std::size_t room) {
    T* const wider = new T[room]{};
    for (std::size_t i = 0; i < size_; ++i) wider[i] = std::move(values_[i]);
    delete[] std::exchange(values_, wider);
    room_ = room;
  }

  T* values_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

/// As std::ssize.
template <typename T>
constexpr std::int64_t ssize(const List<T>& list) {
  return static_cast<std::int64_t>(list.size());
}

using Numbers = List<std::int64_t>;

}  // namespace weft
