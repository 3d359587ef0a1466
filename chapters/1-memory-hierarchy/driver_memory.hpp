#pragma once

/// @file
/// Memory that a program maps itself, with the functions of the driver.

#include <cuda.h>

#include "kernel/driver_function.hpp"
#include "step/vocabulary.hpp"

namespace weft {

template <typename Function>
Function* driver(const char* name) {
  return reinterpret_cast<Function*>(driver_function(name));
}

inline void require(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) fail(what, result);
}

/// Memory of the device in use, as the driver is asked for it.
inline CUmemAllocationProp memory_of_device() {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return wanted;
}

}  // namespace weft
