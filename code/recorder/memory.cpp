// Entry points about memory: addresses without memory behind them, and copies that copy nothing.

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <cstdlib>
#include <map>

#include "model/cards.hpp"

namespace {

/// Sizes by address, for munmap.
std::map<void*, std::size_t>& allocations() {
  static std::map<void*, std::size_t> instance;
  return instance;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  *address = nullptr;
  if (bytes == 0) return cudaSuccess;
  void* const reserved = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return cudaErrorMemoryAllocation;
  allocations()[reserved] = bytes;
  *address = reserved;
  return cudaSuccess;
}

cudaError_t cudaFree(void* address) {
  if (address == nullptr) return cudaSuccess;
  const auto found = allocations().find(address);
  if (found == allocations().end()) return cudaErrorInvalidValue;
  munmap(address, found->second);
  allocations().erase(found);
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** address, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(address, bytes);
}
cudaError_t cudaFreeAsync(void* address, cudaStream_t) { return cudaFree(address); }

cudaError_t cudaMallocHost(void** address, std::size_t bytes) {
  *address = std::malloc(bytes);
  return *address == nullptr && bytes != 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned) {
  return cudaMallocHost(address, bytes);
}

cudaError_t cudaFreeHost(void* address) {
  std::free(address);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = static_cast<std::size_t>(weft::model::cards.front().memory_bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind) { return cudaSuccess; }
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t,
                              cudaMemcpyKind, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, cudaMemcpyKind) {
  return cudaSuccess;
}
cudaError_t cudaMemset(void*, int, std::size_t) { return cudaSuccess; }
cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t) { return cudaSuccess; }

}  // extern "C"
