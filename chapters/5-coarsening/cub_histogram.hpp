#pragma once

/// @file
/// CUB's histograms, which take many times as long to compile as a step: so they lie in a library of their
/// own, which only measuring builds and which is looked for when a program runs.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace weft::cub_histogram {

inline constexpr const char* library = "libweft_cub_histogram.so";

/// cub::DeviceHistogram::HistogramEven of elements that are numbers of bins. Without a workspace it only says
/// how many bytes that has to have.
template <typename Element>
using Even = cudaError_t(void* workspace, std::size_t* bytes, const Element* in, std::uint32_t* bins,
                         int count, cudaStream_t stream);
extern "C" Even<std::uint8_t> weft_histogram_of_bytes;
extern "C" Even<std::uint16_t> weft_histogram_of_shorts;

}  // namespace weft::cub_histogram
