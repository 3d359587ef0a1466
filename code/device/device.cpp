#include "device/device.hpp"

#include <cstdio>
#include <map>
#include <string>
#include <tuple>

namespace weft {
namespace {

std::string message(cudaError_t code, const std::source_location& where) {
  return std::string(where.file_name()) + ':' + std::to_string(where.line()) + ": " + cudaGetErrorName(code) +
         ": " + cudaGetErrorString(code);
}

std::string gigabytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GB", static_cast<double>(bytes) / 1e9);
  return text;
}

std::string shortage(std::size_t bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return "too little device memory for " + gigabytes(bytes);
  return "too little device memory: " + gigabytes(bytes) + " wanted, " + gigabytes(free) + " of " +
         gigabytes(total) + " free";
}

/// Page-locked memory of earlier stagings, by its size. It stays until the program ends.
std::multimap<std::size_t, std::byte*>& unused_pieces() {
  static std::multimap<std::size_t, std::byte*> pieces;
  return pieces;
}

}  // namespace

CudaError::CudaError(cudaError_t code, std::source_location where)
    : std::runtime_error(message(code, where)), code_(code) {}

OutOfDeviceMemory::OutOfDeviceMemory(std::size_t bytes) : std::runtime_error(shortage(bytes)) {}

void cuda_check(cudaError_t result, std::source_location where) {
  if (result == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw CudaError(result, where);
}

DeviceMemory::DeviceMemory(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t result = cudaMalloc(&memory, bytes);
  if (result == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw OutOfDeviceMemory(bytes);
  }
  cuda_check(result);
  data_ = static_cast<std::byte*>(memory);
}

DeviceMemory::~DeviceMemory() { static_cast<void>(cudaFree(data_)); }

void DeviceMemory::copy_in(void* device, const void* host, std::size_t bytes, cudaStream_t stream) {
  cuda_check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
  cuda_check(cudaStreamSynchronize(stream));  // the host's memory is the caller's again
}

void DeviceMemory::copy_out(void* host, const void* device, std::size_t bytes, cudaStream_t stream) {
  cuda_check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
  cuda_check(cudaStreamSynchronize(stream));
}

void DeviceMemory::copy_within(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
}

Staging::Staging(std::size_t bytes) {
  constexpr std::size_t worth_locking = std::size_t{16} << 20;
  constexpr std::size_t step = std::size_t{64} << 20;
  if (bytes >= worth_locking) {
    auto& unused = unused_pieces();
    const auto found = unused.lower_bound(bytes);
    if (found != unused.end()) {
      std::tie(locked_bytes_, data_) = *found;
      unused.erase(found);
      return;
    }
    const std::size_t size = (bytes + step - 1) / step * step;
    void* memory = nullptr;
    if (cudaMallocHost(&memory, size) == cudaSuccess) {
      data_ = static_cast<std::byte*>(memory);
      locked_bytes_ = size;
      return;
    }
    static_cast<void>(cudaGetLastError());
  }
  data_ = new std::byte[bytes];
}

Staging::~Staging() {
  if (locked_bytes_ != 0) {
    unused_pieces().emplace(locked_bytes_, data_);
  } else {
    delete[] data_;
  }
}

Stream::Stream() { cuda_check(cudaStreamCreate(&stream_)); }

Stream::~Stream() {
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}

void Stream::synchronize() const { cuda_check(cudaStreamSynchronize(stream_)); }

Event::Event() { cuda_check(cudaEventCreate(&event_)); }

Event::~Event() {
  if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
}

void Event::record(cudaStream_t stream) const { cuda_check(cudaEventRecord(event_, stream)); }

void Event::synchronize() const { cuda_check(cudaEventSynchronize(event_)); }

double seconds_between(const Event& begin, const Event& end) {
  float milliseconds = 0;
  cuda_check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace weft
