// Kinds of memory: what is told about pointers, pinned and registered host memory, pools, and what is
// refused.
#include <cstdint>
#include <vector>

#include "expect.hpp"

__global__ void increment(int* values) { ++values[threadIdx.x]; }

static cudaPointerAttributes attributes_of(const void* pointer) {
  cudaPointerAttributes attributes{};
  must(cudaPointerGetAttributes(&attributes, pointer));
  return attributes;
}

static void pointers() {
  int *device = nullptr, *managed = nullptr, *pinned = nullptr;
  must(cudaMalloc(&device, 64));
  must(cudaMallocManaged(&managed, 64));
  must(cudaMallocHost(&pinned, 64));
  int local = 0;
  expect(attributes_of(device).type == cudaMemoryTypeDevice &&
         attributes_of(device + 3).devicePointer == device + 3);
  expect(attributes_of(managed).type == cudaMemoryTypeManaged &&
         attributes_of(managed).hostPointer == managed);
  expect(attributes_of(pinned).type == cudaMemoryTypeHost);
  expect(attributes_of(&local).type == cudaMemoryTypeUnregistered);
  expect(cudaFree(pinned), cudaErrorInvalidValue);
  expect(cudaFreeHost(device), cudaErrorInvalidValue);
  must(cudaFree(device));
  expect(cudaFree(device), cudaErrorInvalidValue);
  must(cudaFree(managed));
  must(cudaFreeHost(pinned));
  cudaGetLastError();
}

static void host_memory() {
  int* mapped = nullptr;
  must(cudaHostAlloc(&mapped, 32 * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < 32; ++i) mapped[i] = i;
  int* view = nullptr;
  must(cudaHostGetDevicePointer(&view, mapped, 0));
  increment<<<1, 32>>>(view);
  must(cudaDeviceSynchronize());
  expect(mapped[0] == 1 && mapped[31] == 32);
  must(cudaFreeHost(mapped));

  std::vector<int> own(4096, 1);
  must(cudaHostRegister(own.data(), own.size() * sizeof(int), cudaHostRegisterDefault));
  expect(cudaHostRegister(own.data(), 64, cudaHostRegisterDefault), cudaErrorHostMemoryAlreadyRegistered);
  must(cudaHostGetDevicePointer(&view, own.data(), 0));
  increment<<<1, 32>>>(view);
  must(cudaDeviceSynchronize());
  expect(own[31] == 2 && own[32] == 1);
  must(cudaHostUnregister(own.data()));
  expect(cudaHostUnregister(own.data()), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
}

static void room() {
  std::size_t before = 0, after = 0, total = 0;
  must(cudaMemGetInfo(&before, &total));
  void* memory = nullptr;
  must(cudaMalloc(&memory, std::size_t{64} << 20));
  must(cudaMemGetInfo(&after, &total));
  expect(before - after >= std::size_t{64} << 20 && before <= total);
  must(cudaFree(memory));
  expect(cudaMalloc(&memory, total + 1), cudaErrorMemoryAllocation);
  expect(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
  expect(cudaGetLastError(), cudaErrorMemoryAllocation);
  must(cudaMalloc(&memory, 0));
  expect(memory == nullptr);
  must(cudaMalloc(&memory, 1));
  expect(reinterpret_cast<std::uintptr_t>(memory) % 256 == 0);
  must(cudaFree(memory));
}

static void pools() {
  cudaStream_t stream = nullptr;
  must(cudaStreamCreate(&stream));
  int *first = nullptr, *second = nullptr;
  must(cudaMallocAsync(&first, 128, stream));
  must(cudaMemsetAsync(first, 0, 128, stream));
  increment<<<1, 32, 0, stream>>>(first);
  int result = 0;
  must(cudaMemcpyAsync(&result, first + 31, sizeof result, cudaMemcpyDeviceToHost, stream));
  must(cudaStreamSynchronize(stream));
  expect(result == 1);
  must(cudaFreeAsync(first, stream));

  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool = nullptr;
  must(cudaMemPoolCreate(&pool, &properties));
  std::uint64_t threshold = 1 << 20, got = 0;
  must(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  must(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
  expect(got == threshold);
  must(cudaMallocFromPoolAsync(&second, 1000, pool, stream));
  must(cudaStreamSynchronize(stream));
  must(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &got));
  expect(got >= 1000);
  must(cudaFreeAsync(second, stream));
  must(cudaStreamSynchronize(stream));
  must(cudaMemPoolDestroy(pool));
  must(cudaStreamDestroy(stream));
}

int main() {
  pointers();
  host_memory();
  room();
  pools();
  return verdict();
}
