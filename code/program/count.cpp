#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "check/counted.hpp"
#include "model/metric_names.hpp"
#include "program/commands.hpp"
#include "program/options.hpp"

namespace weft {
namespace {

/// The emulator's function that labels the launches that come.
/// @throws UsageError where the runtime is another
auto* find_mark() {
  const std::string version = "libcudart.so." + std::to_string(CUDART_VERSION / 1000);  // as in counted.cpp
  auto* const mark =
      reinterpret_cast<void (*)(const char*)>(dlvsym(RTLD_DEFAULT, "weft_mark", version.c_str()));
  if (mark == nullptr) throw UsageError("--count is for the emulator, which counts launches");
  return mark;
}

/// The L1's wavefronts are predicted where a step says what they depend on, and else left open.
bool is_open(model::Metric metric, const model::Metrics& predicted) {
  const auto of_metric = [&](const model::Metrics::Entry& entry) { return entry.metric == metric; };
  const bool of_l1 = metric == model::Metric::data_wavefronts || metric == model::Metric::load_tag_wavefronts;
  return of_l1 && std::ranges::none_of(predicted, of_metric);
}

/// @throws std::runtime_error with the first counter that the prediction is wrong about
void require_same(const Variant& variant, const Shape& shape, const model::Metrics& predicted,
                  const model::Metrics& counted) {
  for (std::size_t i = 0; i < model::metric_count; ++i) {
    const auto metric = static_cast<model::Metric>(i);
    if (predicted[metric] == counted[metric] || is_open(metric, predicted)) continue;
    throw std::runtime_error(name_of(variant, shape) + ": " + std::string(model::name(metric)) +
                             ": predicted " + std::to_string(predicted[metric]) + ", counted " +
                             std::to_string(counted[metric]));
  }
}

}  // namespace

void count() {
  auto* const mark = find_mark();
  for (const Variant& variant : variants()) {
    if (variant.kind == Kind::peer) continue;  // its kernels are a library's machine code
    for (const Shape& shape : variant.counted) {
      const nlohmann::ordered_json label{
          {"step", variant.step.text()}, {"shape", shape}, {"parameters", by_name(variant.parameters)}};
      mark(label.dump().c_str());
      const Owned<Problem> problem = ready_problem(variant, shape);
      const LaunchCounter counter;
      problem->launch(nullptr);
      const model::Metrics counted = counter.counted();
      if (variant.predict) require_same(variant, shape, variant.predict(shape), counted);
    }
  }
}

}  // namespace weft
