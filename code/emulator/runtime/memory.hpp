#pragma once

/// @file
/// Memory allocated and freed, for all the entry points that do.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "emulator/memory/allocations.hpp"

namespace weft::emulator {

/// @return cudaErrorMemoryAllocation if the emulated card has no such room left
cudaError_t allocate(void** memory, std::size_t bytes, Allocation::Kind kind);

/// @param pinned what kind of memory the caller means to free
/// @return cudaErrorInvalidValue if no such memory starts there
cudaError_t release(void* memory, bool pinned);

}  // namespace weft::emulator
