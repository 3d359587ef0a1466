#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "model/parities.hpp"
#include "model/rhythm.hpp"
#include "model/second_peak.hpp"
#include "model/share_interval.hpp"

using namespace weft::model;

namespace {

/// Cycles that two loads take longer than one: most of them none, up to some noise.
std::vector<std::int64_t> noise(std::mt19937_64& random, int count) {
  std::normal_distribution<double> around(-8, 8);
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::int64_t& value : values) value = std::lround(around(random));
  return values;
}

/// Events of a period, of which some are not seen, and some others.
std::vector<double> events(std::mt19937_64& random, double period, double jitter, double missed,
                           double others) {
  std::normal_distribution<double> late(0, jitter * period);
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<double> times;
  for (int i = 0; i < 3000; ++i) {
    if (chance(random) >= missed) times.push_back(1e6 + i * period + late(random));
    if (chance(random) < others) times.push_back(1e6 + (i + chance(random)) * period);
  }
  std::ranges::sort(times);
  return times;
}

/// A number below 2^20.
std::uint64_t address(std::mt19937_64& random) { return random() >> 44; }

}  // namespace

TEST_CASE("a planted second peak is found, with its size and place") {
  std::mt19937_64 random(1);
  for (const int planted : {12, 50, 400}) {
    std::vector<std::int64_t> values = noise(random, 200'000);
    std::normal_distribution<double> around(80, 6);
    for (int i = 0; i < planted; ++i) values.push_back(std::lround(around(random)));
    const SecondPeak found = second_peak(values, 20).value_or(SecondPeak{});
    CHECK(found.count == planted);
    CHECK(std::abs(found.median - 80) <= 6);
    CHECK(found.threshold > 30);
    CHECK(found.threshold < 65);
  }
}

TEST_CASE("no second peak is found where there is none: in noise, in a long tail, in a few strays") {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> values = noise(random, 200'000);
  CHECK_FALSE(second_peak(values, 20));
  for (const std::int64_t stray : {70, 150, 151, 400}) values.push_back(stray);
  CHECK_FALSE(second_peak(values, 20));
  std::exponential_distribution<double> tail(0.02);
  for (std::int64_t& value : values) value += std::lround(tail(random));
  CHECK_FALSE(second_peak(values, 20));
  CHECK_FALSE(second_peak({}, 20));
}

TEST_CASE("a planted period is found within a hundredth, though events are missed and others come") {
  std::mt19937_64 random(3);
  for (const double period : {1951., 100'145.}) {
    for (const double missed : {0., 0.3, 0.6}) {
      const Rhythm found =
          rhythm(events(random, period, 0.05, missed, 0.05), period / 3.7).value_or(Rhythm{});
      CHECK(found.period == doctest::Approx(period).epsilon(0.01).scale(0));
      CHECK(found.spread < 0.01);
    }
  }
}

TEST_CASE("if events begin anew in each long period, the period found is a part of the long one") {
  std::mt19937_64 random(8);
  std::normal_distribution<double> late(0, 60);
  std::bernoulli_distribution seen(0.25);
  constexpr double long_period = 100'144.5;
  for (const double distance : {1952., 1957., 1961.}) {  // of each 51 to 52 fit
    std::vector<double> times;
    for (int turn = 0; turn < 80; ++turn) {
      for (int event = 0; event * distance < long_period; ++event) {
        if (seen(random)) times.push_back(turn * long_period + event * distance + late(random));
      }
    }
    std::ranges::sort(times);
    const Rhythm found = rhythm(times, 1085).value_or(Rhythm{});
    CHECK(found.period == doctest::Approx(long_period / 51).epsilon(0.0002).scale(0));
  }
}

TEST_CASE("how closely events keep to a frequency is right after ten thousand turns of the arrows") {
  std::mt19937_64 random(9);
  const std::vector<double> times = events(random, 1951, 0.05, 0.3, 0.05);
  constexpr std::size_t frequencies = 10'000;
  constexpr double lowest = 1. / 8000, step = 1. / 14e6;
  const std::vector<double> found = strengths_of(times, lowest, step, frequencies);
  REQUIRE(found.size() == frequencies);
  for (std::size_t i = 0; i < frequencies; i += 17) {
    std::complex<double> sum;
    for (const double time : times) {
      const double turns = (lowest + step * static_cast<double>(i)) * (time - times.front());
      sum += std::polar(1., 2 * std::numbers::pi * turns);
    }
    CHECK(std::abs(found[i] - std::abs(sum) / static_cast<double>(times.size())) < 1e-9);
  }
  CHECK(std::ranges::max(found) > 0.8);
}

TEST_CASE("events that come at random have no period") {
  std::mt19937_64 random(4);
  CHECK_FALSE(rhythm(events(random, 3900, 0, 1, 0.9), 1000));
  CHECK_FALSE(rhythm({}, 1000));
}

TEST_CASE("a planted linear hash is recovered, whatever else is taken for a conflict") {
  std::mt19937_64 random(5);
  const std::vector<std::uint64_t> planted{0b1001000100010, 0b100000000001, std::uint64_t{1} << 19 | 0b110};
  std::vector<std::uint64_t> differences;
  while (differences.size() < 600) {
    const std::uint64_t difference = address(random);
    const bool even = std::ranges::none_of(
        planted, [=](std::uint64_t mask) { return std::popcount(difference & mask) % 2 == 1; });
    if (even || differences.size() % 50 == 0) differences.push_back(difference);
  }
  const std::vector<Parity> found = parities(differences, 20, 0.8);
  REQUIRE(found.size() == planted.size());
  for (const Parity& parity : found) {
    bool in_span = false;
    for (unsigned sum = 1; sum < 8; ++sum) {
      std::uint64_t mask = 0;
      for (unsigned i = 0; i < 3; ++i) mask ^= (sum >> i) % 2 == 1 ? planted[i] : 0;
      in_span = in_span || mask == parity.mask;
    }
    CHECK(in_span);
    CHECK(parity.bias > 0.9);
  }
}

TEST_CASE("differences at random have no parity in common, nor has a remainder of three") {
  std::mt19937_64 random(6);
  std::vector<std::uint64_t> anywhere, thirds;
  for (int i = 0; i < 600; ++i) anywhere.push_back(address(random));
  while (thirds.size() < 600) {
    const std::uint64_t a = address(random), b = address(random);
    if (a % 3 == b % 3) thirds.push_back(a ^ b);
  }
  CHECK(parities(anywhere, 20, 0.5).empty());
  CHECK(parities(thirds, 20, 0.5).empty());
  CHECK_THROWS(parities(anywhere, 27, 0.5));
}

TEST_CASE("the interval of a share holds the share, and 95 % of what chance counts") {
  CHECK(share_interval(0, 100).low == doctest::Approx(0));
  CHECK(share_interval(10, 100).low == doctest::Approx(0.0552).epsilon(0.001));
  CHECK(share_interval(10, 100).high == doctest::Approx(0.1744).epsilon(0.001));
  std::mt19937_64 random(7);
  std::binomial_distribution<std::int64_t> counted(100'000, 1. / 3000);
  int held = 0;
  for (int i = 0; i < 2000; ++i) {
    const ShareInterval interval = share_interval(counted(random), 100'000);
    held += interval.low <= 1. / 3000 && 1. / 3000 <= interval.high ? 1 : 0;
  }
  CHECK(held > 1860);
  CHECK(held < 1960);
}
