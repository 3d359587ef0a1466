// `model in-flight` reads what was measured, an object: a `curve` of pairs, the bandwidth in bytes a second
// and the latency of a load beside it in seconds; what a launch takes `once`: its `seconds` without a turn,
// the bytes that are `left` in the L2 and with how many bytes a second they are `written`; and what is
// `asked`: the `bytes` on their way, the seconds of a `turn` on an idle card and the number of `turns`, or 0
// of one launch without beginning and end. It writes the bandwidths, a list.

#include <vector>

#include "model/answers.hpp"
#include "model/latency_under_load.hpp"

namespace weft::on_flight {

using namespace model;
using answers::Json;

/// The curve as turns meet it. By as much as a turn is longer than the load of one thread on an idle card, so
/// much it is under load.
std::vector<LoadedLatency> met_by(const Json& curve, double turn) {
  std::vector<LoadedLatency> met;
  for (const Json& point : curve) met.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
  const double longer = met.empty() ? 0 : turn - met.front().latency;
  for (LoadedLatency& point : met) point.latency += longer;
  return met;
}

}  // namespace weft::on_flight

weft::answers::Json weft::answers::in_flight(const Json& told) {
  const Json& once = told.at("once");
  const model::LaunchCosts costs{once.at("seconds").get<double>(), once.at("left").get<double>(),
                                 once.at("written").get<double>()};
  Json bandwidths = Json::array();
  for (const Json& one : told.at("asked")) {
    const double bytes = one.at("bytes").get<double>();
    const auto turns = one.at("turns").get<double>();
    const double steady =
        model::bandwidth_with(on_flight::met_by(told.at("curve"), one.at("turn").get<double>()), bytes);
    bandwidths.push_back(turns == 0 ? steady : model::bandwidth_of_launch(steady, turns * bytes, costs));
  }
  return bandwidths;
}
