#pragma once

/// @file
/// Owners of memory. Problems of steps are made of these, so that this includes little.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace weft {

/// Device memory, uninitialized.
class DeviceMemory {
 public:
  /// @throws OutOfDeviceMemory if there is no room for that many bytes
  explicit DeviceMemory(std::size_t bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  DeviceMemory(DeviceMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~DeviceMemory();

  [[nodiscard]] std::byte* data() const { return data_; }

  static void copy_in(void* device, const void* host, std::size_t bytes, cudaStream_t stream = nullptr);
  static void copy_out(void* host, const void* device, std::size_t bytes, cudaStream_t stream = nullptr);
  static void copy_within(void* to, const void* from, std::size_t bytes, cudaStream_t stream = nullptr);

 private:
  std::byte* data_ = nullptr;
};

/// Host memory through which arrays go to and from the device, a piece at a time; uninitialized. Large pieces
/// are page-locked, for the driver copies other memory once more, on one core; and they are used again, for
/// to lock them takes longer than to copy them.
class Staging {
 public:
  explicit Staging(std::size_t bytes);
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t locked_bytes_ = 0;  // 0: it is not page-locked
};

}  // namespace weft
