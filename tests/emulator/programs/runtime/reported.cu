// Two launches whose counts are known, the second of them marked, and ways to end: `end`, `kill` (by a
// signal), `wait` (for one).
#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "expect.hpp"

__global__ void copy(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

__global__ void spread(float* out) {
  __shared__ float words[32 * 32];
  words[std::size_t{32} * threadIdx.x] = 1.0F;
  __syncwarp();
  out[std::size_t{8} * threadIdx.x] = words[std::size_t{32} * threadIdx.x];
}

/// What the emulator exports for programs that launch several things.
void mark(const char* label) {
  using Mark = void (*)(const char*);
  if (const auto weft_mark = reinterpret_cast<Mark>(dlsym(RTLD_DEFAULT, "weft_mark"))) weft_mark(label);
}

int main(int argc, const char* const* argv) {
  const std::string_view end = argc > 1 ? argv[1] : "end";
  float *in = nullptr, *out = nullptr;
  must(cudaMalloc(&in, 1024 * sizeof(float)));
  must(cudaMalloc(&out, 1024 * sizeof(float)));
  must(cudaMemset(in, 0, 1024 * sizeof(float)));
  copy<<<8, 128>>>(in, out);
  must(cudaGetLastError());
  mark("the \"second\"");
  spread<<<1, 32>>>(out);
  must(cudaDeviceSynchronize());
  std::printf("ready\n");
  std::fflush(stdout);
  if (end == "kill") std::raise(SIGKILL);
  if (end == "wait") pause();
  if (end == "seven") return 7;
  return verdict();
}
