#pragma once

/// @file
/// What a transpose needs of cuTENSOR, looked up when it runs: so it builds where there is no cuTENSOR. The
/// types and numbers are those of cutensor.h.

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "step/step.hpp"

namespace weft {

/// Functions of cuTENSOR and a handle.
class Cutensor {
 public:
  using Plan = void*;  ///< cutensorPlan_t

  /// @throws Unavailable if there is no cuTENSOR
  Cutensor() {
    constexpr const char* name = "libcutensor.so.2";
    library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
      throw Unavailable(std::string("this needs cuTENSOR, and ") + name + " is not found");
    call("cutensorCreate", &handle_);
  }

  /// How a matrix of rows × columns floats is transposed by the kernel that cuTENSOR thinks the best.
  [[nodiscard]] Plan transpose(std::int64_t rows, std::int64_t columns) const {
    constexpr int real_float32 = 0, identity = 1, any_algorithm = -1, compile_nothing = 0;
    constexpr std::uint32_t alignment = 128;
    constexpr std::array<std::int32_t, 2> modes_in{'c', 'r'};  // the dense one first
    constexpr std::array<std::int32_t, 2> modes_out{'r', 'c'};
    const std::array<std::int64_t, 2> extents_in{columns, rows};
    const std::array<std::int64_t, 2> extents_out{rows, columns};
    const std::int64_t* const dense = nullptr;
    void* const float32 = *static_cast<void**>(find("CUTENSOR_COMPUTE_DESC_32F"));
    void *in = nullptr, *out = nullptr, *operation = nullptr, *preference = nullptr;
    Plan plan = nullptr;
    call("cutensorCreateTensorDescriptor", handle_, &in, 2U, extents_in.data(), dense, real_float32,
         alignment);
    call("cutensorCreateTensorDescriptor", handle_, &out, 2U, extents_out.data(), dense, real_float32,
         alignment);
    call("cutensorCreatePermutation", handle_, &operation, in, modes_in.data(), identity, out,
         modes_out.data(), float32);
    call("cutensorCreatePlanPreference", handle_, &preference, any_algorithm, compile_nothing);
    call("cutensorCreatePlan", handle_, &plan, operation, preference, std::uint64_t{0});
    return plan;
  }

  /// Queues the transpose.
  void run(cudaStream_t stream, Plan plan, const float* in, float* out) const {
    const float one = 1;
    call("cutensorPermute", handle_, plan, &one, in, out, stream);
  }

 private:
  [[nodiscard]] void* find(const char* name) const {
    if (void* const found = dlsym(library_, name)) return found;
    throw std::runtime_error(std::string("cuTENSOR has no ") + name);
  }

  /// Calls a function of the library with arguments of just its parameters' types.
  template <typename... Arguments>
  void call(const char* function, Arguments... arguments) const {
    const int status = reinterpret_cast<int (*)(Arguments...)>(find(function))(arguments...);
    if (status == 0) return;
    throw std::runtime_error(std::string(function) + " failed with cuTENSOR status " +
                             std::to_string(status));
  }

  void* library_ = nullptr;
  void* handle_ = nullptr;  // lives as long as the program, as in Cublas
};

}  // namespace weft
