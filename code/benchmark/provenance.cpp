#include "benchmark/provenance.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <library_types.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "benchmark/nvml.hpp"

namespace weft {
namespace {

constexpr std::chrono::milliseconds sampling_interval{500};

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// CUDA writes 13000 for 13.0, and NVML does so, too.
Json dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// The first GPU that CUDA shows, which is the one that the programs use.
std::string bus_id() {
  char text[32] = "";
  if (cudaDeviceGetPCIBusId(text, sizeof text, 0) != cudaSuccess) cudaGetLastError();
  return text;
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

/// What slows a GPU down, by NVML's bit. Idling is left out: it is idle between two programs.
constexpr std::pair<unsigned long long, const char*> throttle_reasons[] = {
    {nvmlClocksThrottleReasonApplicationsClocksSetting, "applications clocks setting"},
    {nvmlClocksThrottleReasonSwPowerCap, "software power cap"},
    {nvmlClocksThrottleReasonHwSlowdown, "hardware slowdown"},
    {nvmlClocksThrottleReasonSyncBoost, "sync boost"},
    {nvmlClocksThrottleReasonSwThermalSlowdown, "software thermal slowdown"},
    {nvmlClocksThrottleReasonHwThermalSlowdown, "hardware thermal slowdown"},
    {nvmlClocksThrottleReasonHwPowerBrakeSlowdown, "hardware power brake slowdown"},
    {nvmlClocksThrottleReasonDisplayClockSetting, "display clock setting"},
};

Json driver_version() {
  const Nvml nvml(bus_id().c_str());
  char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "";
  const auto got = nvml.call<decltype(nvmlSystemGetDriverVersion)>(
      "nvmlSystemGetDriverVersion", static_cast<char*>(text), static_cast<unsigned int>(sizeof text));
  return got == NVML_SUCCESS ? Json(text) : Json();
}

#else

Json driver_version() { return nullptr; }

#endif

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

#ifdef WEFT_HAS_NVML

struct GpuMonitor::State {
  State() : nvml(bus_id().c_str()), thread([this](const std::stop_token& stop) { watch(stop); }) {}

  void watch(const std::stop_token& stop) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);  // an interruption is for the thread that waits for a program
    std::mutex unused;
    std::condition_variable_any wake;
    std::unique_lock lock(unused);
    do {
      sample();
    } while (!wake.wait_for(lock, stop, sampling_interval, [&] { return stop.stop_requested(); }));
  }

  void sample() {
    const std::scoped_lock lock(mutex);
    highest(sm_mhz, nvml.ask<unsigned>("nvmlDeviceGetClockInfo", NVML_CLOCK_SM));
    highest(memory_mhz, nvml.ask<unsigned>("nvmlDeviceGetClockInfo", NVML_CLOCK_MEM));
    highest(power_mw, nvml.ask<unsigned>("nvmlDeviceGetPowerUsage"));
    highest(temperature_c, nvml.ask<unsigned>("nvmlDeviceGetTemperature", NVML_TEMPERATURE_GPU));
    if (const auto reasons = nvml.ask<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons")) {
      throttling = throttling.value_or(0) | *reasons;
    }
  }

  static void highest(std::optional<unsigned>& seen, const std::optional<unsigned>& now) {
    if (now) seen = std::max(seen.value_or(0), *now);
  }

  [[nodiscard]] Json clocks(nvmlClockType_t type, const std::optional<unsigned>& seen) const {
    return {
        {"default", or_null(nvml.ask<unsigned>("nvmlDeviceGetClock", type, NVML_CLOCK_ID_APP_CLOCK_DEFAULT))},
        {"maximum", or_null(nvml.ask<unsigned>("nvmlDeviceGetMaxClockInfo", type))},
        {"highest", or_null(seen)}};
  }

  [[nodiscard]] Json reasons() const {
    if (!throttling) return nullptr;
    Json names = Json::array();
    for (const auto& [bit, name] : throttle_reasons) {
      if ((*throttling & bit) != 0) names.push_back(name);
    }
    return names;
  }

  [[nodiscard]] Json ecc() const {
    nvmlEnableState_t current = NVML_FEATURE_DISABLED;
    nvmlEnableState_t pending = NVML_FEATURE_DISABLED;
    const auto got =
        nvml.call<decltype(nvmlDeviceGetEccMode)>("nvmlDeviceGetEccMode", nvml.device(), &current, &pending);
    return got == NVML_SUCCESS ? Json(current == NVML_FEATURE_ENABLED) : Json();
  }

  static Json watts(const std::optional<unsigned>& milliwatts) {
    return milliwatts ? Json(static_cast<double>(*milliwatts) / 1000) : Json();
  }

  Nvml nvml;
  std::mutex mutex;
  std::optional<unsigned> sm_mhz, memory_mhz, power_mw, temperature_c;
  std::optional<unsigned long long> throttling;
  std::jthread thread;  // last: it uses everything above
};

Json GpuMonitor::readings() const {
  const std::scoped_lock lock(state_->mutex);
  return {{"clocks",
           {{"sm_mhz", state_->clocks(NVML_CLOCK_SM, state_->sm_mhz)},
            {"memory_mhz", state_->clocks(NVML_CLOCK_MEM, state_->memory_mhz)},
            {"throttle_reasons", state_->reasons()}}},
          {"ecc", state_->ecc()},
          {"power_limit_w", State::watts(state_->nvml.ask<unsigned>("nvmlDeviceGetEnforcedPowerLimit"))},
          {"highest_power_w", State::watts(state_->power_mw)},
          {"highest_temperature_c", or_null(state_->temperature_c)}};
}

#else

struct GpuMonitor::State {};

Json GpuMonitor::readings() const {
  return {{"clocks", nullptr},
          {"ecc", nullptr},
          {"power_limit_w", nullptr},
          {"highest_power_w", nullptr},
          {"highest_temperature_c", nullptr}};
}

#endif

GpuMonitor::GpuMonitor() : state_(std::make_unique<State>()) {}
GpuMonitor::~GpuMonitor() = default;

}  // namespace weft
