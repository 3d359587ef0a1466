/// @file
/// Memory filled with a value.

#include <cuda_runtime_api.h>

#include <cstring>

#include "emulator/memory/allocations.hpp"
#include "emulator/runtime/state.hpp"
#include "emulator/runtime/streams.hpp"

namespace weft::emulator {
namespace {

cudaError_t enqueue(const Fill& fill, cudaStream_t stream) {
  return guarded([&] {
    const cudaError_t refused = check(fill);
    return refused != cudaSuccess ? refused : submit(stream, fill);
  });
}

}  // namespace

cudaError_t check(const Fill& fill) {
  if (fill.width == 0 || fill.height == 0 || fill.depth == 0) return cudaSuccess;
  if (fill.element != 1 && fill.element != 2 && fill.element != 4) return cudaErrorInvalidValue;
  const std::size_t row = fill.width * fill.element;
  if (fill.height > 1 && fill.to.pitch < row) return cudaErrorInvalidPitchValue;
  const std::size_t bytes = (fill.depth - 1) * fill.to.slice + (fill.height - 1) * fill.to.pitch + row;
  const auto address = reinterpret_cast<std::uint64_t>(fill.to.start);
  const auto allocation = device_memory().find(address);
  return allocation && allocation->holds(address, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

void perform(const Fill& fill) {
  for (std::size_t z = 0; z < fill.depth; ++z) {
    for (std::size_t y = 0; y < fill.height; ++y) {
      std::byte* const row = fill.to.start + z * fill.to.slice + y * fill.to.pitch;
      if (fill.element == 1) {
        device_memory().set(row, static_cast<int>(fill.value), fill.width);
        continue;
      }
      device_memory().mark_written(row, fill.width * fill.element);
      for (std::size_t x = 0; x < fill.width; ++x)
        std::memcpy(row + x * fill.element, &fill.value, fill.element);
    }
  }
}

Fill from_parameters(const cudaMemsetParams& p) {
  return {{static_cast<std::byte*>(p.dst), p.pitch, p.pitch * p.height},
          p.value,
          p.elementSize,
          p.width,
          p.height,
          1};
}

cudaMemsetParams to_parameters(const Fill& fill) {
  return {fill.to.start, fill.to.pitch, fill.value, fill.element, fill.width, fill.height};
}

}  // namespace weft::emulator

using weft::emulator::enqueue;

extern "C" {

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return enqueue({{static_cast<std::byte*>(to.ptr), to.pitch, to.pitch * to.ysize},
                  static_cast<unsigned>(value),
                  1,
                  extent.width,
                  extent.height,
                  extent.depth},
                 stream);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return cudaMemset3DAsync({to, pitch, width, height}, value, {width, height, 1}, stream);
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, nullptr);
}

}  // extern "C"
