// The entry points through which nvcc's host code registers and launches: each notes what it is called for
// and passes the call on. They belong to the program and not to the library behind it: a library's would be
// hidden by whatever the loader is told to load first, as the recorder and the emulator are.

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "binary/launches.hpp"

namespace {

/// The definition that this program's own hides: the runtime's, the recorder's or the emulator's.
template <typename Function>
Function* next(const char* name) {
  void* const symbol = dlsym(RTLD_NEXT, name);
  if (symbol == nullptr) {
    static_cast<void>(std::fprintf(stderr, "the CUDA runtime in use has no %s\n", name));
    std::_Exit(2);
  }
  return reinterpret_cast<Function*>(symbol);
}

}  // namespace

// Their names are reserved, and nvcc's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

void __cudaRegisterFunction(void** module, const char* host_function, char* device_function, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_extents,
                            dim3* grid_extents, int* warp_size) {
  using Signature = void(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
  static auto* const forward = next<Signature>("__cudaRegisterFunction");
  weft::note_kernel(host_function, name);
  forward(module, host_function, device_function, name, thread_limit, thread, block, block_extents,
          grid_extents, warp_size);
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  static auto* const forward = next<cudaError_t(cudaKernel_t*, const void*)>("__cudaGetKernel");
  const cudaError_t result = forward(kernel, host_function);
  if (result == cudaSuccess) weft::note_handle(*kernel, host_function);
  return result;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  static auto* const forward =
      next<cudaError_t(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t)>("__cudaLaunchKernel");
  weft::note_launch(kernel, grid, block, shared);
  return forward(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  static auto* const forward = next<decltype(cudaLaunchKernel)>("cudaLaunchKernel");
  weft::note_launch(function, grid, block, shared);
  return forward(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  static auto* const forward = next<decltype(cudaLaunchCooperativeKernel)>("cudaLaunchCooperativeKernel");
  weft::note_launch(function, grid, block, shared);
  return forward(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  static auto* const forward = next<decltype(cudaLaunchKernelExC)>("cudaLaunchKernelExC");
  dim3 cluster{0, 0, 0};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
  }
  weft::note_launch(function, config->gridDim, config->blockDim, config->dynamicSmemBytes, cluster);
  return forward(config, function, arguments);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
