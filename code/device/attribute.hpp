#pragma once

/// @file
/// What the device in use has, by CUDA's names.

#include <cuda_runtime_api.h>

#include "step/vocabulary.hpp"

namespace weft {

/// An attribute of the device in use, in CUDA's unit.
/// @throws CudaError if there is no device
inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

/// @return 132 on an H200
inline int multiprocessors() { return device_attribute(cudaDevAttrMultiProcessorCount); }

}  // namespace weft
