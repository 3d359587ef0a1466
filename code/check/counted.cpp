#include "check/counted.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "check/device.hpp"

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

model::Metrics totals(Total total) {
  check(cudaDeviceSynchronize());
  model::Metrics metrics;
  for (std::size_t i = 0; i < model::metric_names.size(); ++i) {
    metrics.add(static_cast<model::Metric>(i), total(std::string(model::metric_names[i]).c_str()));
  }
  return metrics;
}

}  // namespace

void with_counts(const std::function<void()>& launch, const Claims& claims) {
  const Total total = find_total();
  if (total == nullptr) {
    ++skipped;
    MESSAGE("skipped: counters are to be had on the emulator alone");
    return;
  }
  const model::Metrics before = totals(total);
  launch();
  check(cudaGetLastError());
  const model::Metrics after = totals(total);
  model::Metrics counted;
  for (std::size_t i = 0; i < model::metric_names.size(); ++i) {
    const auto metric = static_cast<model::Metric>(i);
    if (after[metric] != before[metric]) counted.add(metric, after[metric] - before[metric]);
  }
  REQUIRE_MESSAGE(!counted.empty(), "the launch made no request");
  claims(counted);
}

void with_counts(const Shape& shape, const Claims& claims, const Parameters& parameters) {
  const auto fits = [&](const Variant& variant) {
    return parameters.empty() || variant.parameters == parameters;
  };
  const auto variant = std::ranges::find_if(variants(), fits);
  if (variant == variants().end()) throw std::invalid_argument("no variant has " + to_string(parameters));
  if (find_total() == nullptr) return with_counts([] {}, claims);  // skips: no buffers are needed for that
  const std::unique_ptr<Problem> problem = variant->make(shape);
  problem->fill(1);
  problem->poison(nullptr);
  with_counts([&] { problem->launch(nullptr); }, claims);
}

int skipped_claims() { return skipped; }

}  // namespace weft
