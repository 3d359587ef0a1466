#include "benchmark/pool.hpp"

#include <algorithm>
#include <stdexcept>

#include "program/spread.hpp"

namespace weft {
namespace {

constexpr const char* samples_key = "sample_seconds";

}  // namespace

void Pool::add(std::string_view program_output) try {
  const Json list = Json::parse(program_output);
  for (const Json& measurement : list) {
    if (measurement.at(samples_key).get<std::vector<double>>().empty())
      throw std::invalid_argument("no samples");
    identity(measurement);
  }
  for (const Json& measurement : list) {
    const std::string which = identity(measurement);
    std::vector<double>& times = times_[which];
    const auto samples = measurement.at(samples_key).get<std::vector<double>>();
    const auto same = [&](const Json& other) { return identity(other) == which; };
    const auto found = std::ranges::find_if(latest_, same);
    if (found == latest_.end()) {
      latest_.push_back(measurement);
    } else {
      const bool throttled = found->value("throttled", false) || measurement.value("throttled", false);
      *found = measurement;
      (*found)["throttled"] = throttled;
    }
    times.insert(times.end(), samples.begin(), samples.end());
  }
} catch (const std::exception&) {
  throw std::runtime_error("what it measured cannot be read");
}

std::vector<Json> Pool::measurements() const {
  std::vector<Json> pooled = latest_;
  for (Json& measurement : pooled) {
    const std::vector<double>& times = times_.at(identity(measurement));
    const Spread over_rounds = spread(times);
    measurement["seconds"] = {
        {"median", over_rounds.median}, {"low", over_rounds.low}, {"high", over_rounds.high}};
    measurement["samples"] = times.size();
    measurement.erase(samples_key);
  }
  return pooled;
}

}  // namespace weft
