#pragma once

/// @file
/// What std::function and std::unique_ptr are, as far as steps need them: every step includes this, and the
/// standard's headers for them take longer to compile than the step.

#include <type_traits>
#include <utility>

namespace weft {

/// An object that has one owner, who deletes it.
template <typename T>
class Owned {  // NOLINT(cppcoreguidelines-special-member-functions): one assignment for both
 public:
  Owned() = default;
  explicit Owned(T* object) : object_(object) {}

  /// From an owner of the same, or of something derived: a std::unique_ptr, too.
  template <typename Owner>
    requires requires(Owner owner, T* object) { object = owner.release(); }
  Owned(Owner&& owner) : object_(owner.release()) {}  // NOLINT(google-explicit-constructor,bugprone-*)

  Owned(const Owned&) = delete;
  Owned(Owned&& other) noexcept : object_(other.release()) {}
  Owned& operator=(Owned other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() { delete object_; }

  T* release() { return std::exchange(object_, nullptr); }

  [[nodiscard]] T* get() const { return object_; }
  [[nodiscard]] T& operator*() const { return *object_; }
  [[nodiscard]] T* operator->() const { return object_; }

 private:
  T* object_ = nullptr;
};

template <typename T, typename... Arguments>
Owned<T> make_owned(Arguments&&... arguments) {
  return Owned<T>(new T(std::forward<Arguments>(arguments)...));
}

/// Something that can be called, or nothing.
template <typename Signature>
class Function;

template <typename Result, typename... Arguments>
class Function<Result(Arguments...)> {  // NOLINT(cppcoreguidelines-special-member-functions): as above
 public:
  Function() = default;
  Function(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)

  template <typename Callable>
    requires(!std::is_same_v<Callable, Function> && std::is_invocable_r_v<Result, Callable&, Arguments...>)
  Function(Callable callable)  // NOLINT(google-explicit-constructor)
      : held_(new Held<Callable>(std::move(callable))) {}

  Function(const Function& other) : held_(other.held_ != nullptr ? other.held_->copy() : nullptr) {}
  Function(Function&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Function& operator=(Function other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Function() { delete held_; }

  explicit operator bool() const { return held_ != nullptr; }

  /// It is not nothing.
  Result operator()(Arguments... arguments) const {
    return held_->call(std::forward<Arguments>(arguments)...);
  }

 private:
  struct Any {
    Any() = default;
    Any(const Any&) = default;
    Any(Any&&) = delete;
    Any& operator=(const Any&) = delete;
    Any& operator=(Any&&) = delete;
    virtual ~Any() = default;
    virtual Any* copy() const = 0;
    virtual Result call(Arguments... arguments) = 0;
  };

  template <typename Callable>
  struct Held final : Any {
    explicit Held(Callable callable) : callable_(std::move(callable)) {}
    Any* copy() const override { return new Held(*this); }
    Result call(Arguments... arguments) override { return callable_(std::forward<Arguments>(arguments)...); }
    Callable callable_;
  };

  Any* held_ = nullptr;
};

}  // namespace weft
