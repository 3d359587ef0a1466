#pragma once

/// @file
/// NVIDIA's management library, which comes with the driver: loaded when it is there, never linked.

#if __has_include(<nvml.h>)
#define WEFT_HAS_NVML 1
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvml.h>

#include <optional>
#include <string>

namespace weft {

/// The first GPU that CUDA shows, which is the one that the programs use.
inline std::string bus_id() {
  char text[32] = "";
  if (cudaDeviceGetPCIBusId(text, sizeof text, 0) != cudaSuccess) static_cast<void>(cudaGetLastError());
  return text;
}

/// One GPU as the management library sees it.
class Nvml {
 public:
  /// @param bus_id as cudaDeviceGetPCIBusId gives it
  explicit Nvml(const char* bus_id) : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr || call<decltype(nvmlInit_v2)>("nvmlInit_v2") != NVML_SUCCESS) return;
    initialized_ = true;
    found_ = call<decltype(nvmlDeviceGetHandleByPciBusId_v2)>("nvmlDeviceGetHandleByPciBusId_v2", bus_id,
                                                              &device_) == NVML_SUCCESS;
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (initialized_) call<decltype(nvmlShutdown)>("nvmlShutdown");
    if (library_ != nullptr) dlclose(library_);
  }

  /// The answer of a function `nvmlReturn_t name(nvmlDevice_t, arguments…, Answer*)`; nothing if this driver
  /// lacks it or this GPU does not tell.
  template <typename Answer, typename... Arguments>
  std::optional<Answer> ask(const char* name, Arguments... arguments) const {
    Answer answer{};
    if (!found_ || call<nvmlReturn_t(nvmlDevice_t, Arguments..., Answer*)>(name, device_, arguments...,
                                                                           &answer) != NVML_SUCCESS) {
      return std::nullopt;
    }
    return answer;
  }

  /// Calls a function by its name and type.
  template <typename Function, typename... Arguments>
  nvmlReturn_t call(const char* name, Arguments... arguments) const {
    void* const address = library_ == nullptr ? nullptr : dlsym(library_, name);
    return address == nullptr ? NVML_ERROR_FUNCTION_NOT_FOUND
                              : reinterpret_cast<Function*>(address)(arguments...);
  }

  [[nodiscard]] nvmlDevice_t device() const { return device_; }

 private:
  void* library_;
  bool initialized_ = false;
  bool found_ = false;
  nvmlDevice_t device_ = nullptr;
};

}  // namespace weft
#endif
