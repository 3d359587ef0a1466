#include "benchmark/card/meter.hpp"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "benchmark/card/nvml.hpp"

namespace weft {

#ifdef WEFT_HAS_NVML

namespace {

constexpr std::chrono::milliseconds sampling_interval{20};

/// What slows a GPU down, by NVML's bit. Idling is left out: it is idle between two launches.
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

/// The management library takes a moment to load: it stays.
const Nvml& card() {
  static const Nvml nvml(bus_id().c_str());
  return nvml;
}

std::optional<unsigned long long> millijoules() {
  return card().ask<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption");
}

}  // namespace

struct Meter::Watch {
  Watch() : joules_before(millijoules()), thread([this](const std::stop_token& stop) { watch(stop); }) {}

  void watch(const std::stop_token& stop) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);  // an interruption is for the thread that measures
    std::mutex unused;
    std::condition_variable_any wake;
    std::unique_lock lock(unused);
    do {
      sample();
    } while (!wake.wait_for(lock, stop, sampling_interval, [&] { return stop.stop_requested(); }));
  }

  void sample() {
    note(seen.memory_mhz, card().ask<unsigned>("nvmlDeviceGetClockInfo", NVML_CLOCK_MEM));
    note(seen.watts, card().ask<unsigned>("nvmlDeviceGetPowerUsage"), 1e-3);
    note(seen.celsius, card().ask<unsigned>("nvmlDeviceGetTemperature", NVML_TEMPERATURE_GPU));
    if (const auto now = card().ask<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons")) {
      throttling = throttling.value_or(0) | *now;
    }
  }

  static void note(std::vector<double>& samples, const std::optional<unsigned>& now, double scale = 1) {
    if (now) samples.push_back(*now * scale);
  }

  MeterReadings readings() {
    thread.request_stop();
    thread.join();
    if (const auto joules_now = millijoules(); joules_now && joules_before) {
      seen.joules = static_cast<double>(*joules_now - *joules_before) * 1e-3;
    }
    if (throttling) {
      seen.throttled_by.emplace();
      for (const auto& [bit, name] : throttle_reasons) {
        if ((*throttling & bit) != 0) seen.throttled_by->emplace_back(name);
      }
    }
    return seen;
  }

  std::optional<unsigned long long> joules_before, throttling;
  MeterReadings seen;
  std::jthread thread;  // last: it uses everything above
};

#else

struct Meter::Watch {
  static MeterReadings readings() { return {}; }
};

#endif

Meter::Meter() : watch_(std::make_unique<Watch>()) {}
Meter::~Meter() = default;
MeterReadings Meter::stop() { return watch_->readings(); }

}  // namespace weft
