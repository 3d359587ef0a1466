#include <nlohmann/json.hpp>

#include "program/measure.hpp"
#include "program/spread.hpp"

namespace weft {

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
