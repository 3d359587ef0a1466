// Source 003 says that four accesses to two banks of two channels use these channels fully. By its own
// formula two banks fill 2 / 21 of a bus whose latency is 20 bursts.
#include <doctest/doctest.h>

#include <vector>

#include "model/bus.hpp"

namespace {
using namespace weft::model;

constexpr BurstTiming timing{20, 1};

// [source]
constexpr std::int64_t banks_of_a_channel = 2;
// [source]

// [repaired]
constexpr std::int64_t banks_needed = banks_that_fill(timing);
static_assert(banks_needed == 21);
// [repaired]

}  // namespace

TEST_CASE("source 003: its two banks leave a bus idle for more than nine tenths of the time") {
  CHECK(share_of_bus(timing, banks_of_a_channel) == Share{2, 21});
  std::vector<Burst> bursts{{0, 0, 0}, {0, 1, 0}};
  schedule(timing, bursts);
  CHECK(bursts.back().end == 22);  // of which the bus is busy for two
}

TEST_CASE("repaired: R + 1 banks fill it") { CHECK(share_of_bus(timing, banks_needed) == Share{21, 21}); }
