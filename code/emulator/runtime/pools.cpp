/// @file
/// Memory pools, and memory allocated in the order of a stream. A pool keeps nothing back: what is freed is
/// given back at once.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/memory.hpp"
#include "emulator/runtime/state.hpp"
#include "emulator/runtime/streams.hpp"

// The structure that CUDA's headers leave open.
struct CUmemPoolHandle_st {
  std::map<int, int> reuse{{cudaMemPoolReuseFollowEventDependencies, 1},
                           {cudaMemPoolReuseAllowOpportunistic, 1},
                           {cudaMemPoolReuseAllowInternalDependencies, 1}};
  std::uint64_t threshold = 0;  ///< bytes
  std::uint64_t used = 0, most_used = 0;
};

namespace weft::emulator {
namespace {

struct Pools {
  std::mutex mutex;
  std::map<const void*, std::pair<cudaMemPool_t, std::uint64_t>> users;  ///< memory, its pool and its bytes
  CUmemPoolHandle_st standard;
  cudaMemPool_t current = &standard;
};

Pools& pools() {
  static auto* const instance = new Pools;
  return *instance;
}

bool is_pool(cudaMemPool_t pool) {
  return pool == &pools().standard || handles<CUmemPoolHandle_st>().holds(pool);
}

/// Memory of a graph, which keeps it as long as it lives.
cudaError_t allocate_for_graph(void** memory, std::size_t bytes,
                               const std::function<cudaError_t(Work)>& add) {
  const cudaError_t result = allocate(memory, bytes, Allocation::Kind::device);
  if (result != cudaSuccess) return result;
  const std::shared_ptr<std::byte> owner(static_cast<std::byte*>(*memory),
                                         [](const std::byte* start) { device_memory().free(start); });
  return add(Allocate{owner, bytes});
}

cudaError_t allocate_from(cudaMemPool_t pool, void** memory, std::size_t bytes, cudaStream_t handle) {
  const CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (!is_pool(pool)) return cudaErrorInvalidValue;
  if (stream->capture != nullptr) {
    return allocate_for_graph(memory, bytes, [&](Work work) { return submit(handle, std::move(work)); });
  }
  const cudaError_t result = allocate(memory, bytes, Allocation::Kind::device);
  if (result != cudaSuccess || *memory == nullptr) return result;
  const std::scoped_lock lock(pools().mutex);
  pools().users[*memory] = {pool, bytes};
  pool->used += bytes;
  pool->most_used = std::max(pool->most_used, pool->used);
  return cudaSuccess;
}

cudaError_t give_back(void* memory, cudaStream_t handle) {
  const CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->capture != nullptr) return submit(handle, Release{memory});
  const std::scoped_lock lock(pools().mutex);
  if (const auto found = pools().users.find(memory); found != pools().users.end()) {
    found->second.first->used -= found->second.second;
    pools().users.erase(found);
  }
  return release(memory, false);
}

/// @param pool of whose attributes some are of 64 bits, the others int
cudaError_t get(const CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute, void* value) {
  const auto give = [&](std::uint64_t bytes) {
    *static_cast<std::uint64_t*>(value) = bytes;
    return cudaSuccess;
  };
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      return give(pool.threshold);
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return give(pool.used);
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      return give(pool.most_used);
    default:
      break;
  }
  const auto found = pool.reuse.find(attribute);
  if (found == pool.reuse.end()) return cudaErrorInvalidValue;
  *static_cast<int*>(value) = found->second;
  return cudaSuccess;
}

cudaError_t set(CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute, const void* value) {
  if (attribute == cudaMemPoolAttrReleaseThreshold) {
    pool.threshold = *static_cast<const std::uint64_t*>(value);
  } else if (attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh) {
    if (*static_cast<const std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
    pool.most_used = pool.used;
  } else {
    const auto found = pool.reuse.find(attribute);
    if (found == pool.reuse.end()) return cudaErrorInvalidValue;
    found->second = *static_cast<const int*>(value);
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace weft::emulator

using weft::emulator::guarded;
using weft::emulator::is_pool;
using weft::emulator::note;
using weft::emulator::pools;
using weft::emulator::Work;

extern "C" {

cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  return guarded([&] { return weft::emulator::allocate_from(pools().current, memory, bytes, stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return guarded([&] { return weft::emulator::allocate_from(pool, memory, bytes, stream); });
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return guarded([&] { return weft::emulator::give_back(memory, stream); });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (device != 0) return note(cudaErrorInvalidDevice);
  *pool = &pools().standard;
  return note(cudaSuccess);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (device != 0) return note(cudaErrorInvalidDevice);
  *pool = pools().current;
  return note(cudaSuccess);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (device != 0) return note(cudaErrorInvalidDevice);
  if (!is_pool(pool)) return note(cudaErrorInvalidValue);
  pools().current = pool;
  return note(cudaSuccess);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr) return note(cudaErrorInvalidValue);
  if (properties->allocType != cudaMemAllocationTypePinned) return note(cudaErrorInvalidValue);
  *pool = weft::emulator::handles<CUmemPoolHandle_st>().add(std::make_unique<CUmemPoolHandle_st>());
  return note(cudaSuccess);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const auto gone = weft::emulator::handles<CUmemPoolHandle_st>().take(pool);
  if (gone == nullptr) return note(cudaErrorInvalidValue);
  const std::scoped_lock lock(pools().mutex);
  std::erase_if(pools().users, [&](const auto& user) { return user.second.first == pool; });
  if (pools().current == pool) pools().current = &pools().standard;
  return note(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t /*bytes*/) {
  return note(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (!is_pool(pool) || value == nullptr) return note(cudaErrorInvalidValue);
  return note(weft::emulator::get(*pool, attribute, value));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (!is_pool(pool) || value == nullptr) return note(cudaErrorInvalidValue);
  return note(weft::emulator::set(*pool, attribute, value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* /*list*/,
                                 std::size_t /*count*/) {
  return note(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     std::size_t count, cudaMemAllocNodeParams* parameters) {
  return guarded([&] {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    return weft::emulator::allocate_for_graph(&parameters->dptr, parameters->bytesize, [&](Work work) {
      return weft::emulator::add_node(node, graph, before, count, std::move(work));
    });
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                    std::size_t count, void* memory) {
  return note(weft::emulator::add_node(node, graph, before, count, weft::emulator::Release{memory}));
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return note(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* /*location*/) {
  if (!is_pool(pool) || flags == nullptr) return note(cudaErrorInvalidValue);
  *flags = cudaMemAccessFlagsProtReadWrite;
  return note(cudaSuccess);
}

}  // extern "C"
