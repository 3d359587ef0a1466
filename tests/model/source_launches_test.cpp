// The launches of sources 001 and 002: what of their published rows is arithmetic comes out of the model.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/occupancy.hpp"

using namespace weft::model;

namespace {

nlohmann::json rows() { return nlohmann::json::parse(std::ifstream(PUBLISHED "/sources.json")); }

/// What source 002 says of one of its two steps.
double published(const std::string& step, const std::string& quantity) {
  for (const nlohmann::json& row : rows()) {
    if (row.at("source") == "002" && row.at("step") == step && row.at("quantity") == quantity) {
      return row.at("value");
    }
  }
  FAIL("source 002 has no ", quantity, " of ", step);
  return 0;
}

constexpr int multiprocessors = 24;
constexpr std::int64_t elements = std::int64_t{2048} * 4096;
constexpr Launch scalar{.threads = 256, .registers = 16};
constexpr Launch vector{.threads = 64,
                        .registers = 16};  // the source does not say how many registers it takes

/// The devices that hold as many blocks and warps as source 002's.
std::vector<DeviceLimits> devices_of_source_002() {
  std::vector<DeviceLimits> found;
  for (const DeviceLimits& device : known_devices) {
    const Occupancy ours = occupancy(device, scalar);
    if (ours.limit(Resource::blocks) == published("add", "limit-blocks") &&
        ours.warps == published("add", "theoretical-warps")) {
      found.push_back(device);
    }
  }
  return found;
}

double in_hundredths(double value) { return std::round(100 * value) / 100; }

TEST_CASE("source 002: its card is of compute capability 8.9, or of a later one that holds as much") {
  const std::vector<DeviceLimits> devices = devices_of_source_002();
  REQUIRE(!devices.empty());
  CHECK(devices.front().major == 8);
  CHECK(devices.front().minor == 9);
  for (const DeviceLimits& device : devices) CHECK(device.warps == 48);
}

TEST_CASE("source 002: limits, warps and waves of the scalar kernel") {
  for (const DeviceLimits& device : devices_of_source_002()) {
    // What the source prints as the kernel's shared memory is what the driver configured: the kernel has
    // none.
    Launch launch = scalar;
    launch.carveout = static_cast<int>(1600 * kib / device.shared_memory);
    const Occupancy ours = occupancy(device, launch);
    const auto configured = static_cast<double>(ours.available[index_of(Resource::shared_memory)]);
    CHECK(in_hundredths(configured / 1000) == published("add", "shared-memory"));
    CHECK(ours.limit(Resource::shared_memory) == published("add", "limit-shared-memory"));
    CHECK(ours.limit(Resource::registers) == published("add", "limit-registers"));
    CHECK(ours.limit(Resource::warps) == published("add", "limit-warps"));
    const std::int64_t grid = elements / scalar.threads;
    CHECK(grid == published("add", "grid"));
    CHECK(grid * scalar.threads == published("add", "threads"));
    CHECK(in_hundredths(waves(grid, ours.blocks, multiprocessors)) == published("add", "waves"));
  }
}

TEST_CASE("source 002: only the limit of blocks is the card's; each of the others follows from the launch") {
  const DeviceLimits device = device_limits(8, 9);
  Launch launch = scalar;
  launch.carveout = 0;
  CHECK(occupancy(device, launch).limit(Resource::shared_memory) != published("add", "limit-shared-memory"));
  for (const Resource resource : {Resource::registers, Resource::warps}) {
    CHECK(occupancy(device, vector).limit(resource) != occupancy(device, scalar).limit(resource));
  }
}

TEST_CASE("source 002: warps and waves of the vector kernel") {
  for (const DeviceLimits& device : devices_of_source_002()) {
    const Occupancy ours = occupancy(device, vector);
    CHECK(ours.limit(Resource::warps) == published("add-float4", "limit-warps"));
    CHECK(ours.warps == published("add-float4", "theoretical-warps"));
    CHECK(ours.limited_by(Resource::blocks));  // as well, which the source does not say
    const std::int64_t grid = elements / 4 / vector.threads;
    CHECK(in_hundredths(waves(grid, ours.blocks, multiprocessors)) == published("add-float4", "waves"));
  }
}

TEST_CASE("source 002: its achieved occupancy is its achieved warps over all, as far as these are printed") {
  const double share = 100 / published("add", "theoretical-warps");
  const double warps = published("add", "achieved-warps");
  CHECK(published("add", "achieved-occupancy") > share * (warps - 0.005));
  CHECK(published("add", "achieved-occupancy") < share * (warps + 0.005));
}

TEST_CASE("source 001: each of its block shapes fills the card with as many warps") {
  // A GeForce GTX 1050 Ti, compute capability 6.1.
  constexpr DeviceLimits pascal{6, 1, 64, 32, 96 * kib, 48 * kib, 0, 256};
  int shapes = 0;
  for (const nlohmann::json& row : rows()) {
    if (row.at("source") != "001" || row.value("table", "") != "blocks") continue;
    const std::vector<int> block = row.at("parameters").at("block");
    // Up to 32 registers, which is more than such a kernel takes.
    CHECK(occupancy(pascal, {.threads = block[0] * block[1], .registers = 32}).warps == pascal.warps);
    ++shapes;
  }
  CHECK(shapes == 6);
}

}  // namespace
