#include "problem.hpp"

#include <cuda_runtime_api.h>

namespace weft {

int multiprocessors() {
  int device = 0;
  int count = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

}  // namespace weft
