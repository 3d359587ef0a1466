#pragma once

/// @file
/// Owners of a device's resources, and the check that every CUDA call goes through.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

#include "step/vocabulary.hpp"

namespace weft {

/// A CUDA call that failed; what() gives CUDA's text with the file and line of the call.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, std::source_location where);
  [[nodiscard]] cudaError_t code() const noexcept { return code_; }

 private:
  cudaError_t code_;
};

/// The device has too little free memory; what() says how much is wanted and how much is free.
class OutOfDeviceMemory : public std::runtime_error {
 public:
  explicit OutOfDeviceMemory(std::size_t bytes);
};

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

  [[nodiscard]] std::byte* data() const { return page_locked_ != nullptr ? page_locked_ : pageable_.get(); }

 private:
  std::unique_ptr<std::byte[]> pageable_;
  std::byte* page_locked_ = nullptr;
  std::size_t locked_bytes_ = 0;
};

/// A stream of its own, ordered with the default stream.
class Stream {
 public:
  Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;
  ~Stream();

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void synchronize() const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in a stream whose time can be taken.
class Event {
 public:
  Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event();

  [[nodiscard]] cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) const;
  void synchronize() const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// Seconds between two events that have happened.
double seconds_between(const Event& begin, const Event& end);

}  // namespace weft
