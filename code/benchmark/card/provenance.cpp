#include "benchmark/card/provenance.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <library_types.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "benchmark/card/nvml.hpp"

namespace weft {
namespace {

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// CUDA writes 13000 for 13.0, and NVML does so, too.
Json dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Json cublas_version() {
  void* library = nullptr;
  for (const char* name : {"libcublas.so.13", "libcublas.so.12"}) {
    if (library == nullptr) library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  }
  if (library == nullptr) return nullptr;
  using GetProperty = int(int, int*);  // cublasGetProperty(libraryPropertyType, int*)
  auto* const get = reinterpret_cast<GetProperty*>(dlsym(library, "cublasGetProperty"));
  std::string version;
  for (const int part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    if (get == nullptr || get(part, &value) != 0) return nullptr;
    if (!version.empty()) version += '.';
    version += std::to_string(value);
  }
  return version;  // the library stays loaded: closing it would cost more than it frees
}

#ifdef WEFT_HAS_NVML

Json driver_version() {
  const Nvml nvml(bus_id().c_str());
  char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "";
  const auto got = nvml.call<decltype(nvmlSystemGetDriverVersion)>(
      "nvmlSystemGetDriverVersion", static_cast<char*>(text), static_cast<unsigned int>(sizeof text));
  return got == NVML_SUCCESS ? Json(text) : Json();
}

Json clocks(const Nvml& nvml, nvmlClockType_t type) {
  return {
      {"default", or_null(nvml.ask<unsigned>("nvmlDeviceGetClock", type, NVML_CLOCK_ID_APP_CLOCK_DEFAULT))},
      {"maximum", or_null(nvml.ask<unsigned>("nvmlDeviceGetMaxClockInfo", type))}};
}

Json ecc(const Nvml& nvml) {
  nvmlEnableState_t current = NVML_FEATURE_DISABLED;
  nvmlEnableState_t pending = NVML_FEATURE_DISABLED;
  const auto got =
      nvml.call<decltype(nvmlDeviceGetEccMode)>("nvmlDeviceGetEccMode", nvml.device(), &current, &pending);
  return got == NVML_SUCCESS ? Json(current == NVML_FEATURE_ENABLED) : Json();
}

Json settings() {
  const Nvml nvml(bus_id().c_str());
  const auto milliwatts = nvml.ask<unsigned>("nvmlDeviceGetEnforcedPowerLimit");
  return {{"clocks", {{"sm_mhz", clocks(nvml, NVML_CLOCK_SM)}, {"memory_mhz", clocks(nvml, NVML_CLOCK_MEM)}}},
          {"ecc", ecc(nvml)},
          {"power_limit_w", milliwatts ? Json(*milliwatts * 1e-3) : Json()}};
}

#else

Json driver_version() { return nullptr; }

Json settings() { return {{"clocks", Json::object()}, {"ecc", nullptr}, {"power_limit_w", nullptr}}; }

#endif

/// The highest that the meter said of something.
Json highest(const std::vector<Json>& measurements, const char* of) {
  Json found;
  for (const Json& measurement : measurements) {
    const Json readings = measurement.value("meter", Json::object());
    if (!readings.contains(of)) continue;
    const Json& high = readings.at(of).at("high");
    if (found.is_null() || high > found) found = high;
  }
  return found;
}

/// All that throttled one of the measurements; null if the meter says nothing of it.
Json throttle_reasons(const std::vector<Json>& measurements) {
  Json found;
  for (const Json& measurement : measurements) {
    const Json readings = measurement.value("meter", Json::object());
    if (!readings.contains("throttled_by")) continue;
    if (found.is_null()) found = Json::array();
    for (const Json& reason : readings.at("throttled_by")) {
      if (std::ranges::find(found, reason) == found.end()) found.push_back(reason);
    }
  }
  return found;
}

}  // namespace

Json describe_gpu() {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
    cudaGetLastError();
    return {{"name", "unknown"}};
  }
  return {{"name", properties.name},
          {"compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor)},
          {"multiprocessors", properties.multiProcessorCount},
          {"memory_bytes", properties.totalGlobalMem},
          {"memory_bus_bits", properties.memoryBusWidth},
          {"l2_bytes", properties.l2CacheSize}};
}

Json describe_software() {
  int runtime = 0;
  int driver = 0;
  const bool has_runtime = cudaRuntimeGetVersion(&runtime) == cudaSuccess;
  const bool has_driver = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
  return {{"driver", driver_version()},
          {"driver_cuda", has_driver ? dotted(driver) : Json()},
          {"runtime", has_runtime ? dotted(runtime) : Json()},
          {"nvbench", *WEFT_NVBENCH_VERSION != '\0' ? Json(WEFT_NVBENCH_VERSION) : Json()},
          {"cublas", cublas_version()}};
}

std::string card() {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
    cudaGetLastError();
    return "unknown";
  }
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i) {
    constexpr const char* digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(properties.uuid.bytes[i]);
    if (i == 0 || (i >= 4 && i <= 10 && i % 2 == 0)) text += '-';
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Json describe_conditions(const std::vector<Json>& measurements) {
  Json conditions = settings();
  Json& clocks = conditions["clocks"];
  clocks["sm_mhz"]["highest"] = highest(measurements, "sm_mhz");
  clocks["memory_mhz"]["highest"] = highest(measurements, "memory_mhz");
  clocks["throttle_reasons"] = throttle_reasons(measurements);
  conditions["highest_power_w"] = highest(measurements, "watts");
  conditions["highest_temperature_c"] = highest(measurements, "celsius");
  return conditions;
}

}  // namespace weft
