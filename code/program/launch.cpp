#include "device/device.hpp"
#include "program/commands.hpp"

namespace weft {

std::unique_ptr<Problem> launch_once(const Variant& variant, const Shape& shape) {
  std::unique_ptr<Problem> problem = variant.make(shape);
  problem->fill(1);
  problem->poison(nullptr);
  cuda_check(cudaDeviceSynchronize());
  problem->launch(nullptr);
  cuda_check(cudaGetLastError());
  cuda_check(cudaDeviceSynchronize());
  return problem;
}

}  // namespace weft
