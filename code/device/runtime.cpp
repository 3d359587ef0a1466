#include "device/runtime.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <set>

#include "binary/fat_binary.hpp"
#include "binary/launches.hpp"

namespace weft {
namespace {

std::string cuda_version(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

/// Whether the device can run every kernel of this program.
bool kernels_load() {
  for (const void* kernel : kernel_handles()) {
    cudaFuncAttributes attributes{};
    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> substitute_runtime() {
  void* const symbol = dlsym(RTLD_DEFAULT, "weft_runtime");
  if (symbol == nullptr) return std::nullopt;
  return reinterpret_cast<const char* (*)()>(symbol)();
}

GpuFacts gpu_facts() {
  GpuFacts facts;
  static_cast<void>(cudaRuntimeGetVersion(&facts.runtime_version));
  facts.driver_found =
      dlopen("libcuda.so.1", RTLD_LAZY) != nullptr;  // stays loaded: the runtime needs it as well
  if (!facts.driver_found) return facts;
  static_cast<void>(cudaDriverGetVersion(&facts.driver_version));
  int count = 0;
  cudaError_t result = cudaGetDeviceCount(&count);
  cudaDeviceProp properties{};
  if (result == cudaSuccess) result = cudaGetDeviceProperties(&properties, 0);
  if (result != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    facts.error = cudaGetErrorString(result);
    return facts;
  }
  facts.device = properties.name;
  facts.architecture = 10 * properties.major + properties.minor;
  facts.code_found = kernels_load();
  if (facts.code_found) return facts;
  const std::vector<int> built_for = read_device_code("/proc/self/exe").machine_code;
  const std::set<int> architectures(built_for.begin(), built_for.end());
  facts.built_for.assign(architectures.begin(), architectures.end());
  return facts;
}

std::optional<std::string> unusable(const GpuFacts& facts) {
  if (!facts.driver_found) return "no GPU: there is no NVIDIA driver here (libcuda.so.1)";
  if (facts.driver_version != 0 && facts.driver_version / 1000 < facts.runtime_version / 1000) {
    return "the NVIDIA driver supports CUDA " + cuda_version(facts.driver_version) +
           ", and this program was built with CUDA " + cuda_version(facts.runtime_version) +
           ": update the driver, or rebuild with an older compiler: make NVCC=/path/to/nvcc";
  }
  if (!facts.error.empty()) return "no usable GPU: " + facts.error;
  if (facts.code_found) return std::nullopt;
  std::string built_for;
  for (const int architecture : facts.built_for) built_for += " sm_" + std::to_string(architecture);
  const std::string line = facts.device + " (sm_" + std::to_string(facts.architecture) +
                           ") cannot run this program, which holds code for" +
                           (built_for.empty() ? " no GPU" : built_for) + ": ";
  if (facts.architecture < 75)
    return line + "CUDA 13 knows sm_75 and later, rebuild with CUDA 12: make NVCC=/path/to/nvcc";
  return line + "`make reproduce` adds code for this GPU, except for steps that need sm_90";
}

}  // namespace weft
