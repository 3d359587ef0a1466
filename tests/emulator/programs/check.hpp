#pragma once

// What the programs share: CUDA's errors and wrong results end them.

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

inline void check(cudaError_t result, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(result));
  std::exit(EXIT_FAILURE);
}

inline void expect(bool truth, const char* what, int line = __builtin_LINE()) {
  if (truth) return;
  std::fprintf(stderr, "line %d: not so: %s\n", line, what);
  std::exit(EXIT_FAILURE);
}

/// Memory that host and device see.
template <class T>
class Shared {
 public:
  explicit Shared(std::size_t count, T value = {}) : count_(count) {
    check(cudaMallocManaged(&memory_, count * sizeof(T), cudaMemAttachGlobal));
    for (T& element : all()) element = value;
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { cudaFree(memory_); }

  T* get() const { return static_cast<T*>(memory_); }
  std::span<T> all() const { return {get(), count_}; }
  T& operator[](std::size_t i) const { return get()[i]; }

 private:
  void* memory_ = nullptr;
  std::size_t count_;
};

/// Waits for the device.
inline void finish(int line = __builtin_LINE()) {
  check(cudaGetLastError(), "launch", line);
  check(cudaDeviceSynchronize(), "kernel", line);
}
