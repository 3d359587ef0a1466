/// @file
/// Copies in memory. The device's memory is the host's, so that they are the same in all directions.

#include <cuda_runtime_api.h>

#include <cstring>
#include <functional>

#include "emulator/memory/allocations.hpp"
#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/output.hpp"
#include "emulator/runtime/state.hpp"
#include "emulator/runtime/streams.hpp"

namespace weft::emulator {
namespace {

/// Bytes from the first to behind the last one of a box.
std::size_t span_of(const Pitched& side, const Copy& copy) {
  return (copy.depth - 1) * side.slice + (copy.height - 1) * side.pitch + copy.width;
}

/// Looks whether a side of a copy lies in one allocation; on the host, nothing is known of it.
cudaError_t check_side(const Pitched& side, const Copy& copy, bool on_device) {
  if (side.start == nullptr) return cudaErrorInvalidValue;
  if (side.pitch < copy.width && copy.height > 1) return cudaErrorInvalidPitchValue;
  const auto address = reinterpret_cast<std::uint64_t>(side.start);
  const auto allocation = device_memory().find(address);
  if (!allocation) return on_device ? cudaErrorInvalidValue : cudaSuccess;
  return allocation->holds(address, span_of(side, copy)) ? cudaSuccess : cudaErrorInvalidValue;
}

/// Where a symbol lies, if the range is within it.
cudaError_t find_range(const void* symbol, std::size_t offset, std::size_t bytes, std::byte*& start) {
  const Program::Symbol found = find_symbol(symbol);
  if (found.address == nullptr) return cudaErrorInvalidSymbol;
  if (offset > found.bytes || bytes > found.bytes - offset) return cudaErrorInvalidValue;
  start = static_cast<std::byte*>(found.address) + offset;
  return cudaSuccess;
}

/// Hands a copy over if it can be done.
cudaError_t enqueue(const Copy& copy, cudaStream_t stream) {
  return guarded([&] {
    const cudaError_t refused = check(copy);
    return refused != cudaSuccess ? refused : submit(stream, copy);
  });
}

Copy plane_copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                std::size_t height, cudaMemcpyKind kind) {
  Copy copy = linear_copy(to, from, width, kind);
  copy.to.pitch = to_pitch;
  copy.from.pitch = from_pitch;
  copy.height = height;
  return copy;
}

/// @param symbol is where the copy leads if `to_symbol`, else where it comes from
cudaError_t copy_symbol(const void* symbol, std::size_t offset, const void* memory, std::size_t bytes,
                        cudaMemcpyKind kind, bool to_symbol,
                        const std::function<cudaError_t(const Copy&)>& use) {
  return guarded([&] {
    std::byte* start = nullptr;
    const cudaError_t refused = find_range(symbol, offset, bytes, start);
    if (refused != cudaSuccess) return refused;
    void* const other = const_cast<void*>(memory);
    const Copy copy =
        to_symbol ? linear_copy(start, other, bytes, kind) : linear_copy(other, start, bytes, kind);
    const cudaError_t invalid = check(copy);
    return invalid != cudaSuccess ? invalid : use(copy);
  });
}

}  // namespace

Copy linear_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  auto* const source = static_cast<std::byte*>(const_cast<void*>(from));  // one structure serves both sides
  return {{static_cast<std::byte*>(to), bytes, bytes}, {source, bytes, bytes}, bytes, 1, 1, kind};
}

cudaError_t check(const Copy& copy) {
  unsigned kind = 0;  // as the program says: it may be none that the enumeration has
  std::memcpy(&kind, &copy.kind, sizeof kind);
  if (kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return cudaSuccess;
  const bool to_device = copy.kind == cudaMemcpyHostToDevice || copy.kind == cudaMemcpyDeviceToDevice;
  const bool from_device = copy.kind == cudaMemcpyDeviceToHost || copy.kind == cudaMemcpyDeviceToDevice;
  const cudaError_t refused = check_side(copy.to, copy, to_device);
  return refused != cudaSuccess ? refused : check_side(copy.from, copy, from_device);
}

void perform(const Copy& copy) {
  for (std::size_t z = 0; z < copy.depth; ++z) {
    for (std::size_t y = 0; y < copy.height; ++y) {
      device_memory().copy(copy.to.start + z * copy.to.slice + y * copy.to.pitch,
                           copy.from.start + z * copy.from.slice + y * copy.from.pitch, copy.width);
    }
  }
}

cudaError_t from_parameters(const cudaMemcpy3DParms& p, Copy& copy) {
  if (p.srcArray != nullptr || p.dstArray != nullptr) {
    say_once("arrays are not provided");
    return cudaErrorNotSupported;
  }
  const auto side = [](const cudaPitchedPtr& pointer, const cudaPos& position) {
    const std::size_t slice = pointer.pitch * pointer.ysize;
    return Pitched{
        static_cast<std::byte*>(pointer.ptr) + position.z * slice + position.y * pointer.pitch + position.x,
        pointer.pitch, slice};
  };
  copy = {side(p.dstPtr, p.dstPos), side(p.srcPtr, p.srcPos), p.extent.width,
          p.extent.height,          p.extent.depth,           p.kind};
  const bool too_deep = copy.depth > 1 && (p.dstPtr.ysize < copy.height || p.srcPtr.ysize < copy.height);
  return too_deep ? cudaErrorInvalidValue : cudaSuccess;
}

cudaMemcpy3DParms to_parameters(const Copy& copy) {
  const auto pointer = [&](const Pitched& side) {
    return cudaPitchedPtr{side.start, side.pitch, copy.width, side.pitch != 0 ? side.slice / side.pitch : 0};
  };
  cudaMemcpy3DParms p{};
  p.dstPtr = pointer(copy.to);
  p.srcPtr = pointer(copy.from);
  p.extent = {copy.width, copy.height, copy.depth};
  p.kind = copy.kind;
  return p;
}

}  // namespace weft::emulator

using weft::emulator::add_node;
using weft::emulator::Copy;
using weft::emulator::copy_symbol;
using weft::emulator::enqueue;
using weft::emulator::linear_copy;
using weft::emulator::note;
using weft::emulator::plane_copy;
using weft::emulator::submit;

extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return enqueue(linear_copy(to, from, bytes, kind), stream);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  weft::emulator::flush_output();
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) return note(cudaErrorInvalidPitchValue);
  return enqueue(plane_copy(to, to_pitch, from, from_pitch, width, height, kind), stream);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  Copy copy;
  if (parameters == nullptr) return note(cudaErrorInvalidValue);
  const cudaError_t refused = from_parameters(*parameters, copy);
  return refused != cudaSuccess ? note(refused) : enqueue(copy, stream);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return cudaMemcpy3DAsync(parameters, nullptr);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return note(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  if (p == nullptr) return note(cudaErrorInvalidValue);
  if (p->srcDevice != 0 || p->dstDevice != 0) return note(cudaErrorInvalidDevice);
  const cudaMemcpy3DParms plain{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
  return cudaMemcpy3DAsync(&plain, stream);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
  return cudaMemcpy3DPeerAsync(parameters, nullptr);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol(symbol, offset, from, bytes, kind, true,
                     [&](const Copy& copy) { return submit(stream, copy); });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol(symbol, offset, to, bytes, kind, false,
                     [&](const Copy& copy) { return submit(stream, copy); });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* before, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol(symbol, offset, from, bytes, kind, true,
                     [&](const Copy& copy) { return add_node(node, graph, before, count, copy); });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* before, std::size_t count, void* to,
                                             const void* symbol, std::size_t bytes, std::size_t offset,
                                             cudaMemcpyKind kind) {
  return copy_symbol(symbol, offset, to, bytes, kind, false,
                     [&](const Copy& copy) { return add_node(node, graph, before, count, copy); });
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return weft::emulator::guarded([&] {
    *address = weft::emulator::find_symbol(symbol).address;
    return *address != nullptr ? cudaSuccess : cudaErrorInvalidSymbol;
  });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return weft::emulator::guarded([&] {
    const auto found = weft::emulator::find_symbol(symbol);
    *bytes = found.bytes;
    return found.address != nullptr ? cudaSuccess : cudaErrorInvalidSymbol;
  });
}

}  // extern "C"
