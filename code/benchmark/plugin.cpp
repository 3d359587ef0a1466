/// @file
/// libweft_benchmark.so: times launches with NVBench. Loaded by a step's program only to measure, because
/// libnvbench wants a driver and a step must start where there is none.

#include <iostream>
#include <limits>
#include <nvbench/nvbench.cuh>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "program/measure.hpp"

namespace weft {
namespace {

constexpr double warm_up_seconds = 0.05;  // of wall time: an idle GPU's clock has risen by then
constexpr double least_seconds = 0.03;    // of GPU time
constexpr double longest_seconds = 2;     // of wall time, if the noise stays high
constexpr double enough_noise = 0.005;    // standard deviation over mean
constexpr int least_samples = 50;

/// Takes NVBench's samples and warnings instead of printing them.
class Collector final : public nvbench::printer_base {
 public:
  Collector(const MeasureRequest& request, Timing& timing)
      : printer_base(std::cerr), request_(request), timing_(timing) {}

 private:
  void do_process_bulk_data_float64(nvbench::state& /*state*/, const std::string& tag,
                                    const std::string& /*hint*/,
                                    const std::vector<nvbench::float64_t>& data) override {
    if (tag == "nv/cold/sample_times") timing_.seconds = data;
  }

  // NVBench throws away what it timed below the throttle threshold, and says so.
  void do_log(nvbench::log_level level, const std::string& message) override {
    if (level != nvbench::log_level::warn) return;
    if (message.find("throttled") != std::string::npos) {
      if (timing_.throttled) return;
      timing_.throttled = true;
    }
    std::cerr << "  " << request_.name << ": " << message << '\n';
  }

  const MeasureRequest& request_;
  Timing& timing_;
};

void throw_mismatch(const Mismatch& mismatch) {
  std::ostringstream text;
  text << "wrong result at " << mismatch.where << '[';
  for (std::size_t axis = 0; axis < mismatch.index.size(); ++axis)
    text << (axis ? ", " : "") << mismatch.index[axis];
  text << "]: expected " << mismatch.expected << ", got " << mismatch.got << "; not recorded";
  throw std::runtime_error(text.str());
}

/// What was timed must be right, or it is not published.
void verify(Problem& problem) {
  problem.poison(nullptr);
  NVBENCH_CUDA_CALL(cudaGetLastError());
  NVBENCH_CUDA_CALL(cudaDeviceSynchronize());
  problem.launch(nullptr);
  NVBENCH_CUDA_CALL(cudaGetLastError());
  NVBENCH_CUDA_CALL(cudaDeviceSynchronize());
  if (const auto mismatch = problem.verify()) throw_mismatch(*mismatch);
}

}  // namespace

extern "C" void weft_measure(Problem& problem, const MeasureRequest& request, Timing& timing) {
  int device = 0;
  NVBENCH_CUDA_CALL(cudaGetDevice(&device));

  const auto generator = [&problem](nvbench::state& state, nvbench::type_list<>) {
    const auto timed_launch = [&problem](nvbench::launch& launch, auto& timer) {
      // Lines that a kernel asked to keep survive the overwriting of the L2; its next launch must not find
      // them.
      NVBENCH_CUDA_CALL(cudaCtxResetPersistingL2Cache());
      timer.start();
      problem.launch(launch.get_stream());
      timer.stop();
      NVBENCH_CUDA_CALL(cudaGetLastError());
    };
    state.exec(nvbench::exec_tag::gpu | nvbench::exec_tag::timer, timed_launch);
  };
  timing = {};
  timing.l2_flushed = true;  // the timer of NVBench's isolated ("cold") measurement first overwrites the L2
  Collector collector(request, timing);
  nvbench::benchmark benchmark{generator};
  benchmark.set_name(request.name)
      .set_devices(std::vector<int>{device})
      .set_cold_warmup_runs(std::numeric_limits<nvbench::int64_t>::max())
      .set_cold_max_warmup_walltime(warm_up_seconds)
      .set_min_samples(least_samples)
      .set_criterion_param_float64("min-time", least_seconds)
      .set_criterion_param_float64("max-noise", enough_noise)
      .set_timeout(longest_seconds);
  benchmark.set_printer(collector);
  benchmark.run();

  for (const nvbench::state& state : benchmark.get_states()) {
    if (state.is_skipped()) throw std::runtime_error(state.get_skip_reason());
  }
  if (timing.seconds.empty()) throw std::runtime_error("NVBench took no sample");
  verify(problem);
}

}  // namespace weft
