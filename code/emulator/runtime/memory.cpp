/// @file
/// Entry points for memory. The device's memory is the host's: copies in all directions are the same.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

#include "emulator/memory/allocations.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/output.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

cudaError_t allocate(void** memory, std::size_t bytes, Allocation::Kind kind) {
  if (memory == nullptr) return note(cudaErrorInvalidValue);
  *memory = nullptr;
  if (bytes == 0) return note(cudaSuccess);
  const auto room = static_cast<std::uint64_t>(card().memory_bytes);
  if (bytes > room - std::min(room, device_memory().bytes_in_use())) {
    return note(cudaErrorMemoryAllocation);
  }
  *memory = device_memory().allocate(bytes, kind);
  return note(*memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t release(const void* memory) {
  if (memory == nullptr || device_memory().free(memory)) return note(cudaSuccess);
  return note(cudaErrorInvalidValue);
}

/// Looks whether a range that starts in the device's memory stays within one allocation.
bool fits(const void* start, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(start);
  const auto allocation = device_memory().find(address);
  return !allocation || allocation->holds(address, bytes);
}

cudaError_t copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return note(cudaSuccess);
  if (to == nullptr || from == nullptr || !fits(to, bytes) || !fits(from, bytes))
    return note(cudaErrorInvalidValue);
  std::memmove(to, from, bytes);
  return note(cudaSuccess);
}

cudaError_t set(void* to, int value, std::size_t bytes) {
  if (bytes == 0) return note(cudaSuccess);
  if (to == nullptr || !fits(to, bytes)) return note(cudaErrorInvalidValue);
  std::memset(to, value, bytes);
  return note(cudaSuccess);
}

}  // namespace
}  // namespace weft::emulator

using weft::emulator::Allocation;
using weft::emulator::find_symbol;
using weft::emulator::guarded;
using weft::emulator::note;

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return weft::emulator::allocate(memory, bytes, Allocation::Kind::device);
}
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t /*stream*/) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned /*flags*/) {
  return weft::emulator::allocate(memory, bytes, Allocation::Kind::managed);
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return weft::emulator::allocate(memory, bytes, Allocation::Kind::pinned);
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  return cudaMallocHost(memory, bytes);
}
cudaError_t cudaFree(void* memory) { return weft::emulator::release(memory); }
cudaError_t cudaFreeAsync(void* memory, cudaStream_t /*stream*/) { return weft::emulator::release(memory); }
cudaError_t cudaFreeHost(void* memory) { return weft::emulator::release(memory); }

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/) {
  weft::emulator::flush_output();
  return weft::emulator::copy(to, from, bytes);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t /*stream*/) {
  return weft::emulator::copy(to, from, bytes);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return weft::emulator::set(to, value, bytes);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t /*stream*/) {
  return weft::emulator::set(to, value, bytes);
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return guarded([&] {
    *address = find_symbol(symbol).address;
    return *address != nullptr ? cudaSuccess : cudaErrorInvalidSymbol;
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return guarded([&] {
    *bytes = find_symbol(symbol).bytes;
    return find_symbol(symbol).address != nullptr ? cudaSuccess : cudaErrorInvalidSymbol;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind /*kind*/) {
  return guarded([&] {
    auto* const start = static_cast<std::byte*>(find_symbol(symbol).address);
    return start != nullptr ? weft::emulator::copy(start + offset, from, bytes) : cudaErrorInvalidSymbol;
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind /*kind*/) {
  return guarded([&] {
    const auto* const start = static_cast<const std::byte*>(find_symbol(symbol).address);
    return start != nullptr ? weft::emulator::copy(to, start + offset, bytes) : cudaErrorInvalidSymbol;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = static_cast<std::size_t>(weft::emulator::card().memory_bytes);
  *free = *total - std::min<std::size_t>(*total, weft::emulator::device_memory().bytes_in_use());
  return note(cudaSuccess);
}

}  // extern "C"
