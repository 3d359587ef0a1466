/// @file
/// Memory allocated and freed.

#include "emulator/runtime/memory.hpp"

#include <algorithm>

#include "emulator/checking.hpp"
#include "emulator/memory/allocations.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/log.hpp"
#include "emulator/runtime/state.hpp"
#include "emulator/runtime/streams.hpp"

namespace weft::emulator {
namespace {

/// Rows of pitched memory start on multiples of it, as on all cards.
constexpr std::size_t pitch_bytes = 512;

std::uint64_t free_bytes() {
  const auto all = static_cast<std::uint64_t>(card().memory_bytes);
  return all - std::min(all, device_memory().bytes_in_use());
}

}  // namespace

cudaError_t allocate(void** memory, std::size_t bytes, Allocation::Kind kind) {
  if (memory == nullptr) return cudaErrorInvalidValue;
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (kind != Allocation::Kind::pinned && bytes > free_bytes()) return cudaErrorMemoryAllocation;
  *memory = device_memory().allocate(bytes, kind);
  return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

namespace {

/// Says why an address cannot be freed: unlike CUDA, the checker takes it for a mistake of the program.
cudaError_t refuse_free(std::uint64_t address, bool pinned) {
  if (checking()) {
    say((pinned ? "cudaFreeHost of " : "cudaFree of ") + whereabouts(address));
    log_fault();
  }
  return cudaErrorInvalidValue;
}

}  // namespace

cudaError_t release(void* memory, bool pinned) {
  if (memory == nullptr) return cudaSuccess;
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const auto found = device_memory().find(address);
  if (!found || found->begin != address) return refuse_free(address, pinned);
  const bool fits = pinned
                        ? found->kind == Allocation::Kind::pinned
                        : found->kind == Allocation::Kind::device || found->kind == Allocation::Kind::managed;
  return fits && device_memory().free(memory) ? cudaSuccess : refuse_free(address, pinned);
}

}  // namespace weft::emulator

using weft::emulator::Allocation;
using weft::emulator::check_unsafe_call;
using weft::emulator::guarded;

namespace {

/// A call that allocates at once, which no capture can take note of.
cudaError_t allocate_now(void** memory, std::size_t bytes, Allocation::Kind kind) {
  return guarded([&] {
    const cudaError_t refused = check_unsafe_call();
    return refused != cudaSuccess ? refused : weft::emulator::allocate(memory, bytes, kind);
  });
}

cudaError_t release_now(void* memory, bool pinned) {
  return guarded([&] {
    const cudaError_t refused = check_unsafe_call();
    return refused != cudaSuccess ? refused : weft::emulator::release(memory, pinned);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return allocate_now(memory, bytes, Allocation::Kind::device);
}

cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned flags) {
  const bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost;
  if (bytes == 0 || !known) return weft::emulator::note(cudaErrorInvalidValue);
  return allocate_now(memory, bytes, Allocation::Kind::managed);
}

cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return allocate_now(memory, bytes, Allocation::Kind::pinned);
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  constexpr unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~known) != 0) return weft::emulator::note(cudaErrorInvalidValue);
  return cudaMallocHost(memory, bytes);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
  if (memory == nullptr) return weft::emulator::note(cudaErrorInvalidValue);
  const std::size_t unit = weft::emulator::pitch_bytes;
  const std::size_t pitch = (extent.width + unit - 1) / unit * unit;
  *memory = {nullptr, pitch, extent.width, extent.height};
  return cudaMalloc(&memory->ptr, pitch * extent.height * extent.depth);
}

cudaError_t cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width, std::size_t height) {
  cudaPitchedPtr made{};
  const cudaError_t result = cudaMalloc3D(&made, {width, height, 1});
  if (memory != nullptr) *memory = made.ptr;
  if (pitch != nullptr) *pitch = made.pitch;
  return result;
}

cudaError_t cudaFree(void* memory) { return release_now(memory, false); }
cudaError_t cudaFreeHost(void* memory) { return release_now(memory, true); }

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned /*flags*/) {
  return guarded([&] {
    if (memory == nullptr || bytes == 0) return cudaErrorInvalidValue;
    const bool taken = weft::emulator::device_memory().adopt(memory, bytes);
    return taken ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* memory) {
  return guarded([&] {
    const auto address = reinterpret_cast<std::uint64_t>(memory);
    const auto found = weft::emulator::device_memory().find(address);
    if (!found || found->begin != address || found->kind != Allocation::Kind::registered) {
      return cudaErrorHostMemoryNotRegistered;
    }
    weft::emulator::device_memory().free(memory);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  if (total != nullptr) *total = static_cast<std::size_t>(weft::emulator::card().memory_bytes);
  if (free != nullptr) *free = weft::emulator::free_bytes();
  return weft::emulator::note(cudaSuccess);
}

}  // extern "C"
