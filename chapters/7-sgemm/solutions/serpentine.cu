// Groups of rows that are walked through to and fro.
//
// Exercise: Where one group ends and the next begins, the columns of B change from the last ones to the first
// ones. Walk through every other group backwards.
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>
#include <utility>

#include "step/vocabulary.hpp"

namespace {
constexpr int group = 16;

// [order]
struct Place {
  int row, column;
};

constexpr Place place_of(int block, int tiles_down, int tiles_across) {
  const int number = block / (group * tiles_across);
  const int within = block % (group * tiles_across);
  const int left = tiles_down - number * group;
  const int rows = left < group ? left : group;
  const int column = within / rows;
  return {number * group + within % rows, number % 2 == 0 ? column : tiles_across - 1 - column};
}
// [order]
}  // namespace

TEST_CASE("each tile has a block, and columns never jump") {
  for (const auto& [down, across] : {std::pair{1, 1}, {3, 5}, {16, 2}, {17, 40}, {64, 64}}) {
    std::set<std::pair<int, int>> places;
    int before = 0;
    for (int block = 0; block < down * across; ++block) {
      const Place place = place_of(block, down, across);
      CHECK(place.row < down);
      CHECK(place.column < across);
      CHECK(std::abs(place.column - before) <= 1);
      before = place.column;
      places.emplace(place.row, place.column);
    }
    CHECK(places.size() == static_cast<std::size_t>(down * across));
  }
}

void weft::register_steps() { tests_alone(); }
