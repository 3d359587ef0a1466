#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "program/amounts_json.hpp"
#include "program/measure.hpp"
#include "program/spread.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const std::vector<double>& samples) {
  const Spread found = spread(samples);
  return {{"median", found.median}, {"low", found.low}, {"high", found.high}};
}

Json meter_json(const MeterReadings& meter) {
  Json object = Json::object();
  const auto note = [&](const char* name, const std::vector<double>& samples) {
    if (!samples.empty()) object[name] = spread_json(samples);
  };
  note("sm_mhz", meter.sm_mhz);
  note("memory_mhz", meter.memory_mhz);
  note("watts", meter.watts);
  note("celsius", meter.celsius);
  if (meter.joules) object["joules"] = *meter.joules;
  if (meter.throttled_by) object["throttled_by"] = *meter.throttled_by;
  return object;
}

/// The quantities that the step reads itself. What a profiler counts stands among the counters, and what the
/// meter says in "meter".
Json quantities_json(const Measurement& measurement) {
  Json object = Json::object();
  for (std::size_t i = 0; i < measurement.quantities.size(); ++i) {
    const Quantity& quantity = measurement.quantities[i];
    if (!quantity.read) continue;
    object[quantity.name.text()] = {{"unit", quantity.unit.text()}};
    object[quantity.name.text()].update(spread_json(measurement.timing.quantities.at(i)));
  }
  return object;
}

Json series_json(const Measurement& measurement) {
  Json object = Json::object();
  for (std::size_t i = 0; i < measurement.series.size(); ++i) {
    const Series& series = measurement.series[i];
    const Grid& grid = measurement.grids.at(i);
    Json axes = Json::array();
    for (const Name axis : series.axes) axes.push_back(axis.text());
    object[series.name.text()] = {
        {"unit", series.unit.text()}, {"axes", axes}, {"lengths", grid.lengths}, {"values", grid.values}};
  }
  return object;
}

/// A file that lines are appended to, each by one call.
class Appended {
 public:
  explicit Appended(const std::filesystem::path& file)
      : descriptor_(open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}
  Appended(const Appended&) = delete;
  Appended& operator=(const Appended&) = delete;
  ~Appended() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  [[nodiscard]] bool write(const std::string& line) const {
    return descriptor_ >= 0 && ::write(descriptor_, line.data(), line.size()) == std::ssize(line);
  }

 private:
  int descriptor_;
};

}  // namespace

std::string to_json(const Measurement& measurement) {
  const Timing& timing = measurement.timing;
  Json object{
      {"step", measurement.step},
      {"kind", to_string(measurement.kind)},
      {"shape", measurement.shape},
      {"parameters", measurement.parameters},
      {"seconds", spread_json(timing.seconds)},
      {"samples", timing.seconds.size()},
      {"rated_by", to_string(measurement.rated_by)},
      {"amounts", to_json(measurement.amounts, measurement.rated_by)},
      {"l2", to_string(measurement.l2)},
  };
  if (Json quantities = quantities_json(measurement); !quantities.empty()) {
    object["quantities"] = std::move(quantities);
  }
  if (Json series = series_json(measurement); !series.empty()) object["series"] = std::move(series);
  if (Json meter = meter_json(timing.meter); !meter.empty()) object["meter"] = std::move(meter);
  object["throttled"] = timing.throttled;
  object["fingerprint"] = measurement.fingerprint;
  object["date"] = measurement.date;
  object["sample_seconds"] = timing.seconds;
  return object.dump();
}

void append(const std::filesystem::path& file, const Measurement& measurement) {
  errno = 0;
  if (Appended(file).write(to_json(measurement) + '\n')) return;
  const std::string reason = errno != 0 ? std::generic_category().message(errno) : "no space left on device";
  throw std::runtime_error("cannot write " + file.string() + ": " + reason);
}

}  // namespace weft
