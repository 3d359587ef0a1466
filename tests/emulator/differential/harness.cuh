#pragma once

/// @file
/// Runs generated functions on both sides, over inputs that a seed gives.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "both_sides.cuh"

/// What a function gets.
struct Input {
  i32 i[3];
  u32 u[3];
  i64 l[3];
  u64 m[3];
  f32 f[3];
  f64 d[3];
};

inline void check(cudaError_t status, const char* file, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(status));
  std::exit(2);
}
#define WEFT_CHECK(call) check(call, __FILE__, __LINE__)

/// Memory on the device.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size) { WEFT_CHECK(cudaMalloc(&data_, size * sizeof(T))); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }
  [[nodiscard]] T* data() const { return data_; }
  void put(const std::vector<T>& values) {
    WEFT_CHECK(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  [[nodiscard]] std::vector<T> get() const {
    std::vector<T> values(size_);
    WEFT_CHECK(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// splitmix64
class Random {
 public:
  explicit Random(u64 seed) : state_(seed) {}
  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }
  /// A word, often one at which arithmetic changes its ways.
  u32 word() {
    static constexpr u32 edges[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff, 0x80000001,
                                    31,         32,         33,         0x007fffff, 0x00800000, 0x00800001,
                                    0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0xbf800000,
                                    0x4f000000, 0x5f000000, 0x33800000, 0x387fc000, 0x477fefff, 0x477ff000};
    const u64 chosen = next();
    if (chosen % 4 == 0) return edges[(chosen >> 8) % (sizeof edges / sizeof edges[0])];
    return chosen % 4 == 1 ? static_cast<u32>(chosen >> 40) & 0xff : static_cast<u32>(chosen >> 32);
  }
  u64 long_word() {
    static constexpr u64 edges[] = {0,
                                    1,
                                    0x7fffffffffffffffU,
                                    0x8000000000000000U,
                                    0xffffffffffffffffU,
                                    0x000fffffffffffffU,
                                    0x0010000000000000U,
                                    0x7fefffffffffffffU,
                                    0x7ff0000000000000U,
                                    0xfff0000000000000U,
                                    0x7ff8000000000000U,
                                    0x3ff0000000000000U,
                                    0x41dfffffffc00000U,
                                    0x43e0000000000000U,
                                    0x36a0000000000000U,
                                    0x47efffffefffffffU};
    const u64 chosen = next();
    if (chosen % 4 == 0) return edges[(chosen >> 8) % (sizeof edges / sizeof edges[0])];
    return chosen % 4 == 1 ? word() : next();
  }

 private:
  u64 state_;
};

inline std::vector<Input> inputs(u64 seed, std::size_t count) {
  Random random(seed);
  std::vector<Input> found(count);
  for (Input& input : found) {
    for (int k = 0; k < 3; ++k) {
      input.i[k] = static_cast<i32>(random.word());
      input.u[k] = random.word();
      input.l[k] = static_cast<i64>(random.long_word());
      input.m[k] = random.long_word();
      input.f[k] = float_of(random.word());
      input.d[k] = random.next() % 2 == 0 ? double_of(random.long_word()) : double{float_of(random.word())};
    }
  }
  return found;
}

using Program = u64 (*)(const Input&);

/// @param kernel `__global__ void (const Input*, u64*, int)`
template <class Kernel>
std::vector<u64> on_device(Kernel kernel, const std::vector<Input>& given) {
  Buffer<Input> in(given.size());
  const Buffer<u64> out(given.size());
  in.put(given);
  constexpr int threads = 128;
  const int count = static_cast<int>(given.size());
  kernel<<<(count + threads - 1) / threads, threads>>>(in.data(), out.data(), count);
  WEFT_CHECK(cudaGetLastError());
  WEFT_CHECK(cudaDeviceSynchronize());
  return out.get();
}

/// One number for all of a program's results.
inline u64 digest(const std::vector<u64>& words) {
  u64 hash = 0xcbf29ce484222325U;
  for (const u64 word : words) hash = (hash ^ word) * 0x100000001b3U;
  return hash;
}

/// Writes a line for each program: its number, and either its first difference to the host or a digest.
template <class Kernel>
bool hold(int number, Kernel kernel, Program program, const std::vector<Input>& given, bool record) {
  const std::vector<u64> got = on_device(kernel, given);
  if (record) {
    std::printf("%d %016llx\n", number, static_cast<unsigned long long>(digest(got)));
    return true;
  }
  for (std::size_t k = 0; k < given.size(); ++k) {
    const u64 expected = program(given[k]);
    if (got[k] == expected) continue;
    std::printf("%d differs at input %zu: host %016llx, device %016llx\n", number, k,
                static_cast<unsigned long long>(expected), static_cast<unsigned long long>(got[k]));
    return false;
  }
  std::printf("%d agrees\n", number);
  return true;
}
