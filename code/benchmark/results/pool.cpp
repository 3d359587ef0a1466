#include "benchmark/results/pool.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "program/spread.hpp"

namespace weft {
namespace {

constexpr const char* samples_key = "sample_seconds";

using Rounds = std::vector<const Json*>;

Json spread_json(const Spread& spread) {
  return {{"median", spread.median}, {"low", spread.low}, {"high", spread.high}};
}

/// The medians and spreads of several rounds as one: the median of the medians between the lowest and the
/// highest.
Json together(const std::vector<Json>& spreads) {
  std::vector<double> medians, lows, highs;
  for (const Json& one : spreads) {
    medians.push_back(one.at("median"));
    lows.push_back(one.at("low"));
    highs.push_back(one.at("high"));
  }
  return spread_json({spread(medians).median, std::ranges::min(lows), std::ranges::max(highs)});
}

/// Pools the spreads in an object that every round has, such as "meter"; what lacks in a round stays as it
/// is.
void pool_spreads(Json& pooled, const char* object, const Rounds& rounds) {
  if (!pooled.contains(object)) return;
  for (auto& [name, value] : pooled[object].items()) {
    if (!value.is_object()) continue;
    std::vector<Json> spreads;
    for (const Json* round : rounds) {
      if (round->contains(object) && round->at(object).contains(name)) {
        spreads.push_back(round->at(object).at(name));
      }
    }
    value.update(together(spreads));
  }
}

/// What only adds up: the energy of all rounds, and everything that throttled one.
void pool_meter(Json& meter, const Rounds& rounds) {
  double joules = 0;
  for (const Json* round : rounds) {
    const Json& other = round->value("meter", Json::object());
    joules += other.value("joules", 0.0);
    for (const Json& reason : other.value("throttled_by", Json::array())) {
      Json& reasons = meter["throttled_by"];
      if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
    }
  }
  if (meter.contains("joules")) meter["joules"] = joules;
}

Json pooled_measurement(const Rounds& rounds) {
  Json result = *rounds.back();
  std::vector<double> all;
  Json medians = Json::array();
  for (const Json* round : rounds) {
    const auto samples = round->at(samples_key).get<std::vector<double>>();
    all.insert(all.end(), samples.begin(), samples.end());
    medians.push_back(spread(samples).median);
    if (round->value("throttled", false)) result["throttled"] = true;
  }
  result["seconds"] = spread_json(spread(all));
  result["rounds"] = medians;
  result["samples"] = all.size();
  result.erase(samples_key);
  pool_spreads(result, "meter", rounds);
  pool_spreads(result, "quantities", rounds);
  if (result.contains("meter")) pool_meter(result["meter"], rounds);
  return result;
}

}  // namespace

std::vector<Json> pooled(const std::vector<Json>& measurements) {
  std::vector<std::string> order;
  std::map<std::string, Rounds> of;
  for (const Json& measurement : measurements) {
    const std::string which = identity(measurement);
    Rounds& rounds = of[which];
    if (rounds.empty()) order.push_back(which);
    const auto is_older = [&](const Json* round) {
      return round->at("fingerprint") != measurement.at("fingerprint");
    };
    std::erase_if(rounds, is_older);
    rounds.push_back(&measurement);
  }
  std::vector<Json> result;
  result.reserve(order.size());
  for (const std::string& which : order) result.push_back(pooled_measurement(of.at(which)));
  return result;
}

}  // namespace weft
