#include <cub/device/device_histogram.cuh>

#include "cub_histogram.hpp"

namespace weft::cub_histogram {

extern "C" cudaError_t weft_histogram_of_bytes(void* workspace, std::size_t* bytes, const std::uint8_t* in,
                                               std::uint32_t* bins, int count, cudaStream_t stream) {
  return cub::DeviceHistogram::HistogramEven(workspace, *bytes, in, bins, 257, 0, 256, count, stream);
}

extern "C" cudaError_t weft_histogram_of_shorts(void* workspace, std::size_t* bytes, const std::uint16_t* in,
                                                std::uint32_t* bins, int count, cudaStream_t stream) {
  return cub::DeviceHistogram::HistogramEven(workspace, *bytes, in, bins, 4097, 0, 4096, count, stream);
}

}  // namespace weft::cub_histogram
