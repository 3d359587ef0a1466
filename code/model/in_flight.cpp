// `model in-flight` reads what was measured of latencies, an object: a `curve` of pairs, the bandwidth in
// bytes a second and the latency of a load beside it in seconds; `counts` of the latencies of single loads,
// in steps of so many `seconds`; and what is `asked`, each the `bytes` on their way and the `lines` that a
// warp waits for. It writes the bandwidths, a list.

#include <vector>

#include "model/answers.hpp"
#include "model/latency_under_load.hpp"

namespace weft::on_flight {

using namespace model;
using answers::Json;

/// The curve as a warp meets it that waits for so many lines. By as much as the longest of their latencies is
/// longer than the mean on an idle card, so much it is under load.
std::vector<LoadedLatency> met_by(const Json& told, std::int64_t lines) {
  const auto counts = told.at("counts").get<std::vector<std::int64_t>>();
  const double width = told.at("seconds").get<double>();
  const double longer = longest_of(counts, width, lines) - longest_of(counts, width, 1);
  std::vector<LoadedLatency> curve;
  for (const Json& point : told.at("curve")) {
    curve.push_back({point.at(0).get<double>(), point.at(1).get<double>() + longer});
  }
  return curve;
}

}  // namespace weft::on_flight

weft::answers::Json weft::answers::in_flight(const Json& told) {
  Json bandwidths = Json::array();
  for (const Json& one : told.at("asked")) {
    const auto curve = on_flight::met_by(told, one.at("lines").get<std::int64_t>());
    bandwidths.push_back(model::bandwidth_with(curve, one.at("bytes").get<double>()));
  }
  return bandwidths;
}
