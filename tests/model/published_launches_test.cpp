// Occupancy and waves against what Nsight Compute said of every published launch.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/occupancy.hpp"

using namespace weft::model;

namespace {

/// The limits of the card that a file of results was taken on, "9.0".
DeviceLimits device_of(const nlohmann::json& results) {
  const std::string capability = results.at("gpu").at("compute_capability");
  const auto dot = capability.find('.');
  return device_limits(std::stoi(capability.substr(0, dot)), std::stoi(capability.substr(dot + 1)));
}

/// The carve-out that a variant asks for, in bytes; without one, the driver chooses.
std::optional<std::int64_t> carve_out_of(const nlohmann::json& parameters) {
  if (!parameters.contains("carve-out")) return std::nullopt;
  return parameters.at("carve-out").at(0).get<std::int64_t>() * kib;
}

Launch launch_of(const nlohmann::json& counted, const DeviceLimits& device) {
  const nlohmann::json& metrics = counted.at("metrics");
  Launch launch{.threads = metrics.at("launch__block_size"),
                .registers = metrics.at("launch__registers_per_thread"),
                .static_shared = metrics.at("launch__shared_mem_per_block_static"),
                .dynamic_shared = metrics.at("launch__shared_mem_per_block_dynamic"),
                .barriers = metrics.value("launch__barrier_count", 1)};
  if (const auto asked = carve_out_of(counted.at("parameters"))) {
    launch.carveout = static_cast<int>(100 * *asked / device.shared_memory);
  }
  return launch;
}

/// Our occupancy under the configuration of shared memory that the driver chose. Where a file does not hold
/// which one it is, one must be there that gives the published limit.
Occupancy as_configured(const DeviceLimits& device, Launch launch, const nlohmann::json& metrics) {
  constexpr std::size_t memory = index_of(Resource::shared_memory);
  const int limit = metrics.at("launch__occupancy_limit_shared_mem");
  for (const std::int64_t configuration : shared_configurations) {
    if (configuration > device.shared_memory) break;
    if (metrics.value("launch__shared_mem_config_size", configuration) != configuration) continue;
    launch.carveout = static_cast<int>(100 * configuration / device.shared_memory);
    const Occupancy found = occupancy(device, launch);
    if (found.available[memory] == configuration && found.limits[memory] == limit) return found;
  }
  FAIL_CHECK("no configuration of shared memory suffices for ", limit, " blocks");
  return occupancy(device, launch);
}

void compare(const nlohmann::json& counted, const DeviceLimits& device, int multiprocessors) {
  const nlohmann::json& metrics = counted.at("metrics");
  const Launch launch = launch_of(counted, device);
  const Occupancy ours = as_configured(device, launch, metrics);
  CHECK(ours.limit(Resource::blocks) == metrics.at("launch__occupancy_limit_blocks"));
  CHECK(ours.limit(Resource::registers) == metrics.at("launch__occupancy_limit_registers"));
  CHECK(ours.limit(Resource::warps) == metrics.at("launch__occupancy_limit_warps"));
  // Nsight Compute gives no limit above that of blocks.
  const int limit_of_barriers = std::min(ours.limit(Resource::barriers), ours.limit(Resource::blocks));
  CHECK(limit_of_barriers == metrics.value("launch__occupancy_limit_barriers", limit_of_barriers));
  // Printed with two decimals: what lies in the middle goes to the even one.
  const auto to_hundredths = [](double value) { return std::nearbyint(100 * value); };
  CHECK(to_hundredths(100 * ours.ratio) ==
        to_hundredths(metrics.at("sm__maximum_warps_per_active_cycle_pct")));
  CHECK(to_hundredths(waves(metrics.at("launch__grid_size"), ours.blocks, multiprocessors)) ==
        to_hundredths(metrics.at("launch__waves_per_multiprocessor")));
  // The configuration that the driver chooses never costs a block. One that is asked for may, and no less is
  // there.
  CHECK(ours.blocks == occupancy(device, launch).blocks);
  if (const auto asked = carve_out_of(counted.at("parameters"))) {
    CHECK(metrics.at("launch__shared_mem_config_size") >= *asked);
  }
}

TEST_CASE("every published launch has the limits, the occupancy and the waves that the model gives it") {
  int launches = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PUBLISHED)) {
    if (!entry.path().filename().string().starts_with("chapter")) continue;
    const nlohmann::json results = nlohmann::json::parse(std::ifstream(entry.path()));
    for (const nlohmann::json& counted : results.at("counters")) {
      if (!counted.at("metrics").contains("launch__occupancy_limit_registers")) continue;
      INFO(entry.path().string(), ": ", counted.at("step").get<std::string>());
      compare(counted, device_of(results), results.at("gpu").at("multiprocessors"));
      ++launches;
    }
  }
  CHECK(launches > 200);
}

}  // namespace
