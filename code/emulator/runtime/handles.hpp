#pragma once

/// @file
/// The objects that programs hold by a handle: streams, events, graphs.

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace weft::emulator {

/// Owns all objects of a kind, and knows a handle that was never given out, or whose object is gone.
template <class T>
class Handles {
 public:
  T* add(std::unique_ptr<T> object) {
    const std::scoped_lock lock(mutex_);
    T* const handle = object.get();
    objects_[handle] = std::move(object);
    return handle;
  }

  [[nodiscard]] bool holds(const T* handle) const {
    const std::scoped_lock lock(mutex_);
    return objects_.contains(handle);
  }

  /// @return nothing if the handle is not known
  std::unique_ptr<T> take(const T* handle) {
    const std::scoped_lock lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    std::unique_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const T*, std::unique_ptr<T>> objects_;
};

/// All objects of a kind. They outlive the program's static objects, whose destructors may use them.
template <class T>
Handles<T>& handles() {
  static auto* const all = new Handles<T>;
  return *all;
}

}  // namespace weft::emulator
