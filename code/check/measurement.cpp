#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "check/measure.hpp"

namespace weft {

Spread spread(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("no samples to take the median of");
  std::ranges::sort(samples);
  const auto quantile = [&](double share) {
    const double at = share * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return std::lerp(samples[below], samples[above], at - static_cast<double>(below));
  };
  return {quantile(0.5), quantile(0.05), quantile(0.95)};
}

std::string to_json(const Measurement& measurement, bool samples) {
  const Spread seconds = spread(measurement.timing.seconds);
  nlohmann::ordered_json object{
      {"step", measurement.step},
      {"kind", to_string(measurement.kind)},
      {"shape", measurement.shape},
      {"parameters", measurement.parameters},
      {"seconds", {{"median", seconds.median}, {"low", seconds.low}, {"high", seconds.high}}},
      {"samples", measurement.timing.seconds.size()},
      {"bytes", measurement.bytes},
      {"flops", measurement.flops},
      {"fingerprint", measurement.fingerprint},
      {"l2_flushed", measurement.timing.l2_flushed},
      {"throttled", measurement.timing.throttled},
      {"date", measurement.date},
  };
  if (samples) object["sample_seconds"] = measurement.timing.seconds;
  return object.dump();
}

}  // namespace weft
