#include <dlfcn.h>

#include <cstdint>
#include <optional>
#include <stdexcept>

#include "device/device.hpp"
#include "program/commands.hpp"

namespace weft {
namespace {

/// How many kernels the program has launched so far; only the recorder says so.
std::optional<std::uint64_t> recorded_launches() {
  void* const symbol = dlsym(RTLD_DEFAULT, "weft_launches");
  if (symbol == nullptr) return std::nullopt;
  return reinterpret_cast<std::uint64_t (*)()>(symbol)();
}

}  // namespace

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
  const std::optional<std::uint64_t> before = recorded_launches();
  launch_to_its_end(problem);
  const std::size_t noted = listener.launches().size();
  const std::optional<std::uint64_t> after = recorded_launches();
  const bool overlooked = before && after && *after - *before != noted;
  if (variant.kind != Kind::peer && overlooked) {
    throw std::runtime_error("step '" + variant.step +
                             "' launches kernels in a way that this program does not note: " +
                             "code/program/entry_points.cpp lists those that it does");
  }
  if (variant.kind == Kind::step && noted == 0) {
    throw std::runtime_error("step '" + variant.step + "' launches no kernel that this program has noted");
  }
  return listener.launches();
}

}  // namespace weft
