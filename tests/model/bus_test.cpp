#include "model/bus.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using namespace weft::model;

constexpr BurstTiming twenty_to_one{20, 1};

/// Accesses that are asked for one per burst, to the banks of one channel.
std::vector<Burst> scheduled(const BurstTiming& timing, const std::vector<std::int64_t>& banks) {
  std::vector<Burst> bursts;
  bursts.reserve(banks.size());
  for (const std::int64_t bank : banks) {
    bursts.push_back({0, bank, static_cast<std::int64_t>(bursts.size()) * timing.transfer});
  }
  schedule(timing, bursts);
  return bursts;
}

std::vector<std::int64_t> round_robin(std::int64_t banks, std::int64_t accesses) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(accesses));
  for (std::int64_t access = 0; access < accesses; ++access) {
    order[static_cast<std::size_t>(access)] = access % banks;
  }
  return order;
}

TEST_CASE("source 003: a DDR bus of 64 bits at 1 GHz gives 16 GB/s; 32 take 2 channels, 256 take 16") {
  constexpr Bus bus{64, 1'000'000'000, 2};
  static_assert(bus.bandwidth() == 16'000'000'000);
  CHECK(bus.channels_for(32'000'000'000) == 2);
  CHECK(bus.channels_for(256'000'000'000) == 16);
  CHECK(bus.channels_for(256'000'000'001) == 17);
  CHECK(Bus{64, 1'000'000'000, 1}.bandwidth() == 8'000'000'000);
}

TEST_CASE("source 003: R = 20 gives one bank 1/21, 4.8 %, 0.76 GB/s, two banks twice that, 21 banks all") {
  static_assert(share_of_bus(twenty_to_one, 1) == Share{1, 21});
  CHECK(share_of_bus(twenty_to_one, 1).value() == doctest::Approx(0.048).epsilon(0.01));
  CHECK(share_of_bus(twenty_to_one, 1).value() * 16e9 == doctest::Approx(0.76e9).epsilon(0.005));
  CHECK(share_of_bus(twenty_to_one, 2) == Share{2, 21});
  CHECK(share_of_bus(twenty_to_one, 20) == Share{20, 21});
  CHECK(share_of_bus(twenty_to_one, 21) == Share{21, 21});
  CHECK(share_of_bus(twenty_to_one, 1000) == Share{21, 21});
  CHECK(banks_that_fill(twenty_to_one) == 21);
}

TEST_CASE("the banks that fill a bus are R + 1, rounded up, and one less does not") {
  for (std::int64_t latency = 0; latency <= 40; ++latency) {
    for (std::int64_t transfer = 1; transfer <= 8; ++transfer) {
      const BurstTiming timing{latency, transfer};
      const std::int64_t banks = banks_that_fill(timing);
      CHECK(share_of_bus(timing, banks).value() == 1);
      CHECK((banks == 1 || share_of_bus(timing, banks - 1).value() < 1));
    }
  }
}

TEST_CASE("source 003, one bank: each access senses for R bursts, and begins when the one before has left") {
  const std::vector<Burst> bursts = scheduled(twenty_to_one, {0, 0});
  CHECK(bursts[0].begin == 0);
  CHECK(bursts[0].moved == 20);
  CHECK(bursts[0].end == 21);
  CHECK(bursts[1].begin == 21);
  CHECK(bursts[1].moved == 41);
  CHECK(bursts[1].end == 42);
}

TEST_CASE("source 003, two banks: the second begins soon after the first, and its burst follows at once") {
  const std::vector<Burst> bursts = scheduled(twenty_to_one, {0, 1, 0, 1});
  const std::vector<std::int64_t> begins{0, 1, 21, 22}, moved{20, 21, 41, 42};
  for (std::size_t access = 0; access < bursts.size(); ++access) {
    CHECK(bursts[access].begin == begins[access]);
    CHECK(bursts[access].moved == moved[access]);
    CHECK(bursts[access].ready == moved[access]);
  }
}

TEST_CASE("banks that take turns give the bus the share of the formula, whatever R is") {
  for (const auto& [latency, transfer] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{20, 1}, {3, 1}, {5, 2}, {7, 4}, {0, 1}}) {
    const BurstTiming timing{latency, transfer};
    for (std::int64_t banks = 1; banks <= 30; ++banks) {
      const std::vector<Burst> bursts = scheduled(timing, round_robin(banks, 20 * banks));
      const std::size_t half = bursts.size() / 2;
      const Share share{static_cast<std::int64_t>(half) * transfer, bursts.back().end - bursts[half - 1].end};
      INFO(latency, " : ", transfer, ", banks ", banks);
      CHECK(share.part * share_of_bus(timing, banks).whole == share_of_bus(timing, banks).part * share.whole);
    }
  }
}

TEST_CASE("whatever is asked for: a bank makes one access at a time, a bus carries one burst, none is idle") {
  std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers each time
  const auto below = [&](std::int64_t end) { return static_cast<std::int64_t>(random()) % end; };
  for (int trial = 0; trial < 200; ++trial) {
    const BurstTiming timing{below(12), 1 + below(4)};
    std::vector<Burst> bursts(60);
    for (std::int64_t access = 0; Burst& burst : bursts) {
      burst = {below(3), below(4), access++ / 3 * timing.transfer};
    }
    schedule(timing, bursts);
    for (const Burst& one : bursts) {
      CHECK(one.begin >= one.arrival);
      CHECK(one.ready == one.begin + timing.latency);
      CHECK(one.moved >= one.ready);
      CHECK(one.end == one.moved + timing.transfer);
      bool begins_late = one.begin > one.arrival, moves_late = one.moved > one.ready;
      for (const Burst& other : bursts) {
        if (&other == &one || other.channel != one.channel) continue;
        CHECK((other.end <= one.moved || one.end <= other.moved));
        if (other.end == one.moved) moves_late = false;
        if (other.bank != one.bank) continue;
        CHECK((other.end <= one.begin || one.end <= other.begin));
        if (other.end == one.begin) begins_late = false;
      }
      CHECK_FALSE(begins_late);  // it waited for nothing
      CHECK_FALSE(moves_late);
    }
  }
}

TEST_CASE("accesses to random banks meet as many different ones as all ways of choosing do on average") {
  CHECK(different_banks(1, 5) == doctest::Approx(1));
  CHECK(different_banks(5, 0) == doctest::Approx(0));
  CHECK(different_banks(5, 1) == doctest::Approx(1));
  constexpr std::int64_t banks = 5, ways = banks * banks * banks;
  std::int64_t met = 0;
  for (std::int64_t way = 0; way < ways; ++way) {
    const std::int64_t first = way % banks, second = way / banks % banks, third = way / banks / banks;
    met += 1 + (second != first ? 1 : 0) + (third != first && third != second ? 1 : 0);
  }
  CHECK(different_banks(banks, 3) == doctest::Approx(static_cast<double>(met) / ways));
}

TEST_CASE("no order of accesses is faster than its fullest bank or bus") {
  std::mt19937 random(4);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers each time
  const auto below = [&](std::int64_t end) { return static_cast<std::int64_t>(random()) % end; };
  for (int trial = 0; trial < 100; ++trial) {
    const BurstTiming timing{below(12), 1 + below(4)};
    const std::int64_t channels = 1 + below(3);
    std::vector<Burst> pattern(static_cast<std::size_t>(1 + below(12)));
    Demand demand;
    for (Burst& burst : pattern) {
      burst = {below(channels), below(4)};
      demand.add(burst.channel, burst.bank);
    }
    constexpr std::int64_t rounds = 40;
    std::vector<Burst> bursts;
    for (std::int64_t round = 0; round < rounds; ++round) {
      bursts.insert(bursts.end(), pattern.begin(), pattern.end());
    }
    schedule(timing, bursts);
    std::int64_t end = 0;
    for (const Burst& burst : bursts) end = std::max(end, burst.end);
    const Share share = demand.share_of_buses(timing, channels);
    const double cycles = static_cast<double>(rounds * share.whole) / static_cast<double>(channels);
    CHECK(static_cast<double>(end) >= cycles);
  }
}

TEST_CASE("two accesses in a row to one bank do not overlap, though the others go on") {
  const std::vector<Burst> bursts = scheduled({3, 1}, {0, 0, 1, 2});
  CHECK(bursts[1].begin == bursts[0].end);
  CHECK(bursts[2].moved == 5);
  CHECK(bursts[3].moved == 6);
  CHECK(bursts[1].moved == 7);
}

TEST_CASE("a bank that there is no room for is refused") {
  CHECK_THROWS_AS(scheduled(twenty_to_one, {most_banks}), std::invalid_argument);
  CHECK_THROWS_AS(scheduled(twenty_to_one, {-1}), std::invalid_argument);
}

}  // namespace
