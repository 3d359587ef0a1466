// `model coarsening` reads a card and launches, and writes what the model says of each launch:
// {"capability": [9, 0], "multiprocessors": 132, "hertz": 1.98e9, "latencies": [[bandwidth, latency], …],
// "launches": [{"threads": 256, "registers": 40, "shared": 0, "blocks": 1024, "works": …, "waits": …,
// "bytes": …, "thread_bytes": …}, …]}

#include "model/coarsening.hpp"

#include <vector>

#include "model/answers.hpp"

namespace weft::on_coarsening {

using answers::Json;
using model::CoarsenedLaunch;
using model::LaunchCard;

CoarsenedLaunch read_launch(const Json& asked) {
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

Json describe(const LaunchCard& card, const CoarsenedLaunch& launch) {
  const model::Occupancy held = occupancy(card.limits, launch.block);
  return {{"resident", held.blocks},
          {"warps", held.warps},
          {"waves", model::waves(launch.blocks, held.blocks, card.multiprocessors)},
          {"seconds", least_seconds(card, launch)}};
}

}  // namespace weft::on_coarsening

weft::answers::Json weft::answers::coarsening(const Json& asked) {
  std::vector<model::LoadedLatency> latencies;
  for (const Json& point : asked.at("latencies")) latencies.push_back({point.at(0), point.at(1)});
  const Json& capability = asked.at("capability");
  const model::LaunchCard card{model::device_limits(capability.at(0), capability.at(1)),
                               asked.at("multiprocessors"), asked.at("hertz"), latencies};
  Json answers = Json::array();
  for (const Json& launch : asked.at("launches")) {
    answers.push_back(on_coarsening::describe(card, on_coarsening::read_launch(launch)));
  }
  return answers;
}
