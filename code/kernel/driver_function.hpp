#pragma once

/// @file
/// Functions of the driver, which programs are not linked with: they start where there is none.

#include <cuda_runtime_api.h>

namespace weft {

/// A function of the driver by its name; null if the driver has none.
inline void* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  constexpr unsigned cuda_12 = 12000;
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &function, cuda_12, cudaEnableDefault, &found);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  return status == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : nullptr;
}

}  // namespace weft
