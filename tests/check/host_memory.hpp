#pragma once

/// @file
/// The host's memory in the place of the device's, so that buffers and comparisons can be tested without a
/// GPU.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <memory>

namespace weft::test {

class HostMemory {
 public:
  explicit HostMemory(std::size_t bytes) : bytes_(new std::byte[bytes]) {}

  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

  static void copy_in(void* to, const void* from, std::size_t bytes, cudaStream_t = nullptr) {
    std::memcpy(to, from, bytes);
  }
  static void copy_out(void* to, const void* from, std::size_t bytes, cudaStream_t = nullptr) {
    std::memcpy(to, from, bytes);
  }
  static void copy_within(void* to, const void* from, std::size_t bytes, cudaStream_t = nullptr) {
    std::memcpy(to, from, bytes);
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace weft::test
