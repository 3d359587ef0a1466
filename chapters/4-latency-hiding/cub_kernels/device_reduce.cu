#include <cub/device/device_reduce.cuh>

#include "cub_kernels.hpp"

namespace weft::cub_kernels {

extern "C" cudaError_t weft_device_reduce(void* workspace, std::size_t* bytes, const float* in, float* sum,
                                          std::int64_t count, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(workspace, *bytes, in, sum, count, stream);
}

}  // namespace weft::cub_kernels
