// Kernels loaded as PTX while the program runs.
#include <string>

#include "expect.hpp"

static const char* const ptx = R"(
.version 7.8
.target sm_75
.address_size 64
.visible .global .align 4 .u32 base = 40;
.visible .entry increase(.param .u64 out, .param .u32 amount) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [amount];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r3, [base];
  add.u32 %r4, %r3, %r1;
  st.global.u32 [%rd2], %r4;
  ret;
}
)";

int main() {
#if CUDART_VERSION >= 13000
  cudaLibrary_t library = nullptr;
  must(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  must(cudaLibraryGetKernelCount(&count, library));
  expect(count == 1);
  cudaKernel_t kernel = nullptr;
  expect(cudaLibraryGetKernel(&kernel, library, "no_such_kernel"), cudaErrorSymbolNotFound);
  cudaGetLastError();
  must(cudaLibraryGetKernel(&kernel, library, "increase"));
  int *out = nullptr, amount = 2, result = 0;
  must(cudaMalloc(&out, 32 * sizeof(int)));
  void* arguments[] = {static_cast<void*>(&out), &amount};
  must(cudaLaunchKernel(kernel, dim3(1), dim3(32), arguments, 0, nullptr));
  must(cudaMemcpy(&result, out + 31, sizeof result, cudaMemcpyDeviceToHost));
  expect(result == 42);
  void* base = nullptr;
  std::size_t bytes = 0;
  must(cudaLibraryGetGlobal(&base, &bytes, library, "base"));
  expect(bytes == 4);
  const int other = 50;
  must(cudaMemcpy(base, &other, sizeof other, cudaMemcpyHostToDevice));
  must(cudaLaunchKernel(kernel, dim3(1), dim3(32), arguments, 0, nullptr));
  must(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
  expect(result == 52);
  const std::string damaged = std::string(ptx).replace(10, 5, "@@@@@");
  // A GPU's driver may be lazy, and look at the text when a kernel is wanted.
  cudaError_t refused =
      cudaLibraryLoadData(&library, damaged.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (refused == cudaSuccess) refused = cudaLibraryGetKernel(&kernel, library, "increase");
  expect(refused, cudaErrorInvalidPtx);
  must(cudaFree(out));
#endif
  return verdict();
}
