/// @file
/// What can be asked and said about memory.

#include <cuda_runtime_api.h>

#include <algorithm>

#include "emulator/memory/allocations.hpp"
#include "emulator/runtime/state.hpp"
#include "emulator/runtime/streams.hpp"

namespace weft::emulator {
namespace {

/// `cudaPointerAttributes` up to CUDA 12; since 13 it is followed by reserved words.
struct PointerAttributes {
  cudaMemoryType type;
  int device;
  void* device_pointer;
  void* host_pointer;
};

constexpr int no_device = -2;
constexpr std::size_t reserved_words = 8;

PointerAttributes attributes_of(void* pointer) {
  const auto found = device_memory().find(reinterpret_cast<std::uint64_t>(pointer));
  if (!found) return {cudaMemoryTypeUnregistered, no_device, nullptr, nullptr};
  switch (found->kind) {
    case Allocation::Kind::managed:
      return {cudaMemoryTypeManaged, 0, pointer, pointer};
    case Allocation::Kind::pinned:
    case Allocation::Kind::registered:
      return {cudaMemoryTypeHost, 0, pointer, pointer};
    default:
      return {cudaMemoryTypeDevice, 0, pointer, nullptr};
  }
}

bool is_on_host(const void* pointer) {
  const auto found = device_memory().find(reinterpret_cast<std::uint64_t>(pointer));
  return found && (found->kind == Allocation::Kind::pinned || found->kind == Allocation::Kind::registered);
}

/// Advice and prefetching change nothing here, but managed memory must be meant.
cudaError_t check_managed(const void* start, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(start);
  const auto found = device_memory().find(address);
  const bool managed = found && found->kind == Allocation::Kind::managed && found->holds(address, bytes);
  return managed && bytes != 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t prefetch(const void* start, std::size_t bytes, cudaStream_t stream) {
  const cudaError_t refused = check_managed(start, bytes);
  return note(refused != cudaSuccess ? refused : submit(stream, {}));
}

}  // namespace
}  // namespace weft::emulator

using weft::emulator::note;

extern "C" {

cudaError_t weft_pointer_attributes_12(weft::emulator::PointerAttributes* attributes, void* pointer) {
  if (attributes == nullptr) return note(cudaErrorInvalidValue);
  *attributes = weft::emulator::attributes_of(pointer);
  return note(cudaSuccess);
}

cudaError_t weft_pointer_attributes_13(weft::emulator::PointerAttributes* attributes, void* pointer) {
  if (attributes == nullptr) return note(cudaErrorInvalidValue);
  std::fill_n(reinterpret_cast<long*>(attributes + 1), weft::emulator::reserved_words, 0L);
  return weft_pointer_attributes_12(attributes, pointer);
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  if (device == nullptr || flags != 0 || !weft::emulator::is_on_host(host))
    return note(cudaErrorInvalidValue);
  *device = host;
  return note(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  if (flags == nullptr || !weft::emulator::is_on_host(host)) return note(cudaErrorInvalidValue);
  *flags = cudaHostAllocMapped | cudaHostAllocPortable;
  return note(cudaSuccess);
}

/// cudaMemPrefetchAsync of CUDA 12.
cudaError_t weft_memory_prefetch_12(const void* start, std::size_t bytes, int device, cudaStream_t stream) {
  if (device != 0 && device != cudaCpuDeviceId) return note(cudaErrorInvalidDevice);
  return weft::emulator::prefetch(start, bytes, stream);
}

/// cudaMemPrefetchAsync of CUDA 13.
cudaError_t weft_memory_prefetch(const void* start, std::size_t bytes, cudaMemLocation /*location*/,
                                 unsigned flags, cudaStream_t stream) {
  return flags != 0 ? note(cudaErrorInvalidValue) : weft::emulator::prefetch(start, bytes, stream);
}

/// cudaMemAdvise of CUDA 12.
cudaError_t weft_memory_advise_12(const void* start, std::size_t bytes, cudaMemoryAdvise /*advice*/,
                                  int device) {
  if (device != 0 && device != cudaCpuDeviceId) return note(cudaErrorInvalidDevice);
  return note(weft::emulator::check_managed(start, bytes));
}

/// cudaMemAdvise of CUDA 13.
cudaError_t weft_memory_advise(const void* start, std::size_t bytes, cudaMemoryAdvise /*advice*/,
                               cudaMemLocation /*location*/) {
  return note(weft::emulator::check_managed(start, bytes));
}

}  // extern "C"
