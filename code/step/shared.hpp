#pragma once

/// @file
/// What std::shared_ptr is, as far as steps need it: the standard's header takes longer to compile than the
/// step.

#include <cstdint>
#include <utility>

#include "step/function.hpp"

namespace weft {

/// An object that has several owners, all of one thread: the last deletes it. Or nothing.
template <typename T>
class Shared {  // NOLINT(cppcoreguidelines-special-member-functions): one assignment for both
 public:
  Shared() = default;
  explicit Shared(T* object) : held_(new Held{Owned<T>(object), 1}) {}

  Shared(const Shared& other) : held_(other.held_) {
    if (held_ != nullptr) ++held_->owners;
  }
  Shared(Shared&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Shared() {
    if (held_ != nullptr && --held_->owners == 0) delete held_;
  }

  [[nodiscard]] T& operator*() const { return *held_->object; }
  [[nodiscard]] T* operator->() const { return held_->object.get(); }

 private:
  struct Held {
    Owned<T> object;
    std::int64_t owners;
  };

  Held* held_ = nullptr;
};

template <typename T, typename... Arguments>
Shared<T> make_shared(Arguments&&... arguments) {
  return Shared<T>(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace weft
