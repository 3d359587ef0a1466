// `coarsening` reads a card and launches as JSON, and writes what the model says of each launch:
// {"capability": [9, 0], "multiprocessors": 132, "hertz": 1.98e9, "latencies": [[bandwidth, latency], …],
// "launches": [{"threads": 256, "registers": 40, "shared": 0, "blocks": 1024, "works": …, "waits": …,
// "bytes": …, "thread_bytes": …}, …]}

#include "model/coarsening.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

namespace {

using nlohmann::json;
using weft::model::CoarsenedLaunch;
using weft::model::LaunchCard;
using weft::model::LoadedLatency;

CoarsenedLaunch read_launch(const json& asked) {
  CoarsenedLaunch launch{};
  launch.block.threads = asked.at("threads");
  launch.block.registers = asked.at("registers");
  launch.block.dynamic_shared = asked.at("shared");
  launch.blocks = asked.at("blocks");
  launch.works = asked.at("works");
  launch.waits = asked.at("waits");
  launch.bytes = asked.at("bytes");
  launch.thread_bytes = asked.at("thread_bytes");
  return launch;
}

json describe(const LaunchCard& card, const CoarsenedLaunch& launch) {
  const weft::model::Occupancy held = occupancy(card.limits, launch.block);
  return {{"resident", held.blocks},
          {"warps", held.warps},
          {"waves", weft::model::waves(launch.blocks, held.blocks, card.multiprocessors)},
          {"seconds", least_seconds(card, launch)}};
}

}  // namespace

int main() {
  try {
    const json asked = json::parse(std::cin);
    std::vector<LoadedLatency> latencies;
    for (const json& point : asked.at("latencies")) latencies.push_back({point.at(0), point.at(1)});
    const json& capability = asked.at("capability");
    const LaunchCard card{weft::model::device_limits(capability.at(0), capability.at(1)),
                          asked.at("multiprocessors"), asked.at("hertz"), latencies};
    json answers = json::array();
    for (const json& launch : asked.at("launches")) answers.push_back(describe(card, read_launch(launch)));
    std::cout << answers << '\n' << std::flush;
    return std::cout ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << "coarsening: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
