#pragma once

/// @file
/// Owners of a device's resources, and the check that every CUDA call goes through.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <source_location>
#include <stdexcept>
#include <utility>

#include "device/memory.hpp"
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
