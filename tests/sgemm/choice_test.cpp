#include "choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace weft {
namespace {

/// Candidates whose launches take what is listed, the last number again and again.
struct Candidates {
  std::vector<std::vector<double>> microseconds;
  std::vector<std::size_t> launches = std::vector<std::size_t>(microseconds.size());

  std::optional<std::size_t> choose(std::vector<std::size_t> imprecise = {}) {
    return fastest(
        microseconds.size(),
        [&](std::size_t candidate) {
          const std::vector<double>& each = microseconds[candidate];
          return each[std::min(launches[candidate]++, each.size() - 1)] * 1e-6;
        },
        [&](std::size_t candidate) { return std::ranges::find(imprecise, candidate) == imprecise.end(); });
  }
};

TEST_CASE("the fastest candidate is chosen") {
  CHECK(Candidates{{{30}, {10}, {20}}}.choose() == 1);
  CHECK(Candidates{{{10.1}, {10}, {10.2}}}.choose() == 1);
}

TEST_CASE("a first launch that loads its kernel does not count") {
  CHECK(Candidates{{{30}, {9000, 10}, {20}}}.choose() == 1);
}

TEST_CASE("a launch that was lucky once does not count") {
  CHECK(Candidates{{{10}, {10.4, 9.9, 10.4}, {20}}}.choose() == 0);
}

TEST_CASE("what is not launched, or will not do, is passed over") {
  CHECK(Candidates{{{30}, {refused}, {20}}}.choose() == 2);
  CHECK(Candidates{{{30}, {10}, {20}}}.choose({1}) == 2);
  CHECK(Candidates{{{30}, {10}, {refused}}}.choose({0, 1}) == std::nullopt);
  CHECK(Candidates{{{refused}}}.choose() == std::nullopt);
  CHECK(Candidates{{}}.choose() == std::nullopt);
}

TEST_CASE("a long launch without hope is made once") {
  Candidates candidates{{{100'000}, {200'000}}};
  CHECK(candidates.choose() == 0);
  CHECK(candidates.launches[1] == 1);
}

}  // namespace
}  // namespace weft
