#include <stdexcept>

#include "device/device.hpp"
#include "program/commands.hpp"

namespace weft {

std::unique_ptr<Problem> ready_problem(const Variant& variant, const Shape& shape) {
  std::unique_ptr<Problem> problem = variant.make(shape);
  problem->fill(1);
  problem->poison(nullptr);
  cuda_check(cudaDeviceSynchronize());
  return problem;
}

void launch_to_its_end(Problem& problem) {
  problem.launch(nullptr);
  cuda_check(cudaGetLastError());
  cuda_check(cudaDeviceSynchronize());
}

std::vector<Launched> noted_launches(const Variant& variant, Problem& problem) {
  const LaunchListener listener;
  launch_to_its_end(problem);
  if (variant.kind == Kind::step && listener.launches().empty()) {
    throw std::runtime_error("step '" + variant.step + "' launches no kernel that this program has noted");
  }
  return listener.launches();
}

}  // namespace weft
