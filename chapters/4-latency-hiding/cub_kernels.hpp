#pragma once

/// @file
/// CUB's kernels, which take many times as long to compile as a step: so they lie in a library of their own,
/// which only measuring builds and which is looked for when a program runs.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace weft::cub_kernels {

inline constexpr const char* library = "libweft_cub.so";

/// cub::DeviceReduce::Sum. Without a workspace it only says how many bytes that has to have.
using DeviceReduce = cudaError_t(void* workspace, std::size_t* bytes, const float* in, float* sum,
                                 std::int64_t count, cudaStream_t stream);
extern "C" DeviceReduce weft_device_reduce;

}  // namespace weft::cub_kernels
