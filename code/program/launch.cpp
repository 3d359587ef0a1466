#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "device/device.hpp"
#include "program/commands.hpp"

namespace weft {
namespace {

/// The recorder's count of the kernels that the program has launched; null under another runtime.
auto recorded_launches() {
  return reinterpret_cast<std::uint64_t (*)()>(dlsym(RTLD_DEFAULT, "weft_launches"));
}

}  // namespace

Owned<Problem> ready_problem(const Variant& variant, const Shape& shape) {
  Owned<Problem> problem = variant.make(shape);
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
  auto* const recorded = recorded_launches();
  const std::uint64_t before = recorded != nullptr ? recorded() : 0;
  launch_to_its_end(problem);
  const std::size_t noted = listener.launches().size();
  const bool overlooked = recorded != nullptr && recorded() - before != noted;
  if (variant.kind != Kind::peer && overlooked) {
    throw std::runtime_error(std::string("step '") + variant.step.text() +
                             "' launches kernels in a way that this program does not note: " +
                             "code/program/entry_points.cpp lists those that it does");
  }
  if ((variant.kind == Kind::step || variant.kind == Kind::experiment) && noted == 0) {
    throw std::runtime_error(std::string("step '") + variant.step.text() +
                             "' launches no kernel that this program has noted");
  }
  return listener.launches();
}

}  // namespace weft
