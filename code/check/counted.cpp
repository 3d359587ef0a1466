#include "check/counted.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "model/metric_names.hpp"
#include "step/text.hpp"

namespace weft {
namespace {

int skipped = 0;

/// What all launches of this process so far have added to a metric, by Nsight Compute's name.
using Total = std::uint64_t (*)(const char* metric);

/// The emulator's function of that kind; a null pointer where the runtime is another.
Total find_total() {
  // The emulator is loaded as CUDA 12's runtime and as 13's. Only the one that this program calls has
  // counted.
  const std::string version = "libcudart.so." + std::to_string(CUDART_VERSION / 1000);
  return reinterpret_cast<Total>(dlvsym(RTLD_DEFAULT, "weft_counted", version.c_str()));
}

model::Metrics totals() {
  const Total total = find_total();
  cuda_check(cudaDeviceSynchronize());
  model::Metrics metrics;
  for (std::size_t i = 0; i < model::metric_count; ++i) {
    metrics.add(static_cast<model::Metric>(i), total(std::string(model::metric_names[i]).c_str()));
  }
  return metrics;
}

}  // namespace

bool can_count() {
  if (find_total() != nullptr) return true;
  ++skipped;
  MESSAGE("skipped: counters are to be had on the emulator alone");
  return false;
}

LaunchCounter::LaunchCounter() : before_(totals()) {}

model::Metrics LaunchCounter::counted() const {
  cuda_check(cudaGetLastError());
  model::Metrics counted;
  for (const auto& [metric, total] : totals()) {
    if (total != before_[metric]) counted.add(metric, total - before_[metric]);
  }
  return counted;
}

model::Metrics LaunchCounter::counted_something() const {
  const model::Metrics something = counted();
  REQUIRE_MESSAGE(!something.empty(), "the launch made no request");
  return something;
}

model::Metrics count_launch(const Shape& shape, const Parameters& parameters) {
  const ParameterMap wanted = by_name(parameters);
  const auto fits = [&](const Variant& variant) {
    return wanted.empty() || by_name(variant.parameters) == wanted;
  };
  const auto variant = std::ranges::find_if(variants(), fits);
  if (variant == variants().end()) throw std::invalid_argument("no variant has " + to_string(wanted));
  const Owned<Problem> problem = variant->make(shape);
  problem->fill(1);
  problem->poison(nullptr);
  const LaunchCounter counter;
  problem->launch(nullptr);
  return counter.counted_something();
}

int skipped_claims() { return skipped; }

}  // namespace weft
