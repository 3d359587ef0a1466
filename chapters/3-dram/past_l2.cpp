#include <cuda_runtime_api.h>

#include "step/vocabulary.hpp"

namespace weft {

unsigned blocks_of_card() {
  int device = 0;
  int count = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return static_cast<unsigned>(count);
}

}  // namespace weft
