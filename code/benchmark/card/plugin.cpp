/// @file
/// libweft_benchmark.so: times launches with NVBench. Loaded by a step's program only to measure, because
/// libnvbench wants a driver and a step must start where there is none.

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <nvbench/nvbench.cuh>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmark/card/meter.hpp"
#include "program/measure.hpp"

namespace weft {
namespace {

constexpr double warm_up_seconds = 0.05;  // of wall time: an idle GPU's clock has risen by then
constexpr double least_seconds = 0.015;   // of GPU time
constexpr double longest_seconds = 0.25;  // of wall time, if the noise stays high
constexpr double enough_noise = 0.005;    // standard deviation over mean
// At least so many samples; of launches that take long, fewer.
constexpr std::int64_t most_least_samples = 50;
constexpr std::int64_t fewest_least_samples = 5;
constexpr double seconds_of_least_samples = 0.1;

/// NVBench's measurement of isolated launches, with the L2 as the step wants it, and with what the step
/// reports of each launch that is timed.
class Measure : public nvbench::detail::measure_cold_base {
 public:
  Measure(nvbench::state& state, Problem& problem, const MeasureRequest& request, Timing& timing)
      : measure_cold_base(state), problem_(problem), request_(request), timing_(timing) {}

  void run() {
    check();
    initialize();
    warm_up();
    const double longest = is_warm() ? request_.first_seconds : std::max(m_cuda_timer.get_duration(), 1e-6);
    m_min_samples = std::clamp(static_cast<std::int64_t>(seconds_of_least_samples / longest),
                               fewest_least_samples, most_least_samples);
    timing_.quantities.assign(request_.quantities.size(), {});
    Meter meter;
    run_trials_prologue();
    Timer timer(*this, m_disable_blocking_kernel);
    do {
      launch(timer);
      record_measurements();
      for (std::size_t i = 0; i < request_.quantities.size(); ++i) {
        const Quantity& quantity = request_.quantities[i];
        if (quantity.read) timing_.quantities[i].push_back(quantity.read(problem_));
      }
    } while (!is_finished());
    timing_.meter = meter.stop();
    timing_.seconds = m_cuda_times;
    timing_.meter.sm_mhz.clear();  // NVBench's is that of each launch, between its beginning and its end
    for (const double rate : m_sm_clock_rates) timing_.meter.sm_mhz.push_back(rate * 1e-6);
    run_trials_epilogue();
    generate_summaries();
  }

 private:
  /// What NVBench does around a launch; where it would overwrite the L2, the step is asked.
  struct Hooks : kernel_launch_timer {
    explicit Hooks(Measure& of) : kernel_launch_timer(of), measure(of) {}
    // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): the one that NVBench calls
    void flush_device_l2() { measure.prepare_l2(); }
    Measure& measure;
  };

  struct Timer : Hooks, nvbench::detail::measure_cold_launch_timer_core<Hooks> {
    using Core = nvbench::detail::measure_cold_launch_timer_core<Hooks>;
    using Core::start, Core::stop;
    Timer(Measure& of, bool without_blocking)
        : Hooks(of), Core(*this, {without_blocking, of.m_run_once, of.m_check_throttling}) {}
  };

  void prepare_l2() {
    if (request_.l2 == L2::warm) problem_.launch(m_launch.get_stream());
    if (request_.l2 == L2::cold) {
      // Lines that a kernel asked to keep survive the overwriting; its next launch must not find them.
      NVBENCH_CUDA_CALL(cudaCtxResetPersistingL2Cache());
      flush_device_l2();
    }
  }

  /// Whether the launch that has been took so long that no second one is needed to raise the clock.
  [[nodiscard]] bool is_warm() const { return request_.first_seconds > longest_seconds; }

  /// Loads what NVBench launches around a launch, and launches until the clock has risen; both without the
  /// kernel that holds a stream back until all is queued: a kernel that is loaded waits for the card, and so
  /// for ever while a stream is held back.
  void warm_up() {
    block_stream();
    unblock_stream();
    Timer timer(*this, true);
    timer.start();
    timer.stop();
    if (is_warm()) return;
    nvbench::cpu_timer wall;
    wall.start();
    do {
      launch(timer);
      wall.stop();
    } while (wall.get_duration() < warm_up_seconds);
  }

  void launch(Timer& timer) {
    timer.start();
    problem_.launch(m_launch.get_stream());
    timer.stop();
    NVBENCH_CUDA_CALL(cudaGetLastError());
  }

  Problem& problem_;
  const MeasureRequest& request_;
  Timing& timing_;
};

/// Takes NVBench's warnings, and prints nothing else.
class Collector final : public nvbench::printer_base {
 public:
  Collector(const MeasureRequest& request, Timing& timing)
      : printer_base(std::cerr), request_(request), timing_(timing) {}

 private:
  // NVBench throws away what it timed below the throttle threshold, and says so; and that it has taken so
  // long that few samples must do, as is wanted.
  void do_log(nvbench::log_level level, const std::string& message) override {
    if (level != nvbench::log_level::warn || message.find("timed out") != std::string::npos) return;
    if (message.find("throttled") != std::string::npos) {
      if (timing_.throttled) return;
      timing_.throttled = true;
    }
    std::cerr << "  " << request_.name << ": " << message << '\n';
  }

  const MeasureRequest& request_;
  Timing& timing_;
};

}  // namespace

extern "C" void weft_measure(Problem& problem, const MeasureRequest& request, Timing& timing) {
  int device = 0;
  NVBENCH_CUDA_CALL(cudaGetDevice(&device));

  timing = {};
  const auto generator = [&](nvbench::state& state, nvbench::type_list<>) {
    Measure(state, problem, request, timing).run();
  };
  Collector collector(request, timing);
  nvbench::benchmark benchmark{generator};
  benchmark.set_name(request.name)
      .set_devices(std::vector<int>{device})
      .set_criterion_param_float64("min-time", least_seconds)
      .set_criterion_param_float64("max-noise", enough_noise)
      .set_timeout(longest_seconds);
  benchmark.set_printer(collector);
  benchmark.run();

  for (const nvbench::state& state : benchmark.get_states()) {
    if (state.is_skipped()) throw std::runtime_error(state.get_skip_reason());
  }
  if (timing.seconds.empty()) throw std::runtime_error("NVBench took no sample");
}

}  // namespace weft
