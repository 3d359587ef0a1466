// `in_flight` reads what was measured of latencies, a JSON object: a `curve` of pairs, the bandwidth in bytes
// a second and the latency of a load beside it in seconds; `counts` of the latencies of single loads, in
// steps of so many `seconds`; and what is `asked`, each the `bytes` on their way and the `lines` that a warp
// waits for. It writes the bandwidths, a JSON list.

#include <cstdlib>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/latency_under_load.hpp"

namespace {

using namespace weft::model;
using nlohmann::json;

/// The curve as a warp meets it that waits for so many lines. By as much as the longest of their latencies is
/// longer than the mean on an idle card, so much it is under load.
std::vector<LoadedLatency> met_by(const json& told, std::int64_t lines) {
  const auto counts = told.at("counts").get<std::vector<std::int64_t>>();
  const double width = told.at("seconds").get<double>();
  const double longer = longest_of(counts, width, lines) - longest_of(counts, width, 1);
  std::vector<LoadedLatency> curve;
  for (const json& point : told.at("curve")) {
    curve.push_back({point.at(0).get<double>(), point.at(1).get<double>() + longer});
  }
  return curve;
}

}  // namespace

int main() {
  try {
    const json told = json::parse(std::cin);
    json bandwidths = json::array();
    for (const json& one : told.at("asked")) {
      const auto curve = met_by(told, one.at("lines").get<std::int64_t>());
      bandwidths.push_back(bandwidth_with(curve, one.at("bytes").get<double>()));
    }
    std::cout << bandwidths << '\n' << std::flush;
    return std::cout ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << "in_flight: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
