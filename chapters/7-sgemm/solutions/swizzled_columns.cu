// Columns of A that trade places instead of being padded, so that three stages fit into 48 KiB.
//
// Exercise: Do without the four words of padding in each row of the turned tile.
#include <doctest/doctest.h>

#include <set>

#include "model/shared.hpp"
#include "step/vocabulary.hpp"

namespace {
using weft::model::Element;
using weft::model::shared_load_wavefronts;
using weft::model::shared_store_wavefronts;

constexpr int tile = 128;
constexpr int depth = 16;

// [place]
/// Where element `column` of row l lies: in its row, but with eight fours that trade places.
constexpr int place(int l, int column) { return l * tile + (column ^ (l % 8 * 4)); }
// [place]
}  // namespace

// [wavefronts]
TEST_CASE("eight columns of four floats are stored in a wavefront, and fours are loaded as before") {
  CHECK(shared_store_wavefronts({4, [](int lane) { return place(lane % 8, lane / 8); }}) == 1);
  for (int l = 0; l < depth; ++l) {
    const auto four = [l](int lane) -> Element { return place(l, lane / 2 % 8 * 4) / 4; };
    CHECK(shared_load_wavefronts({16, four}) == 2);
  }
}
// [wavefronts]

TEST_CASE("each element has a place, and fours stay together") {
  std::set<int> places;
  for (int l = 0; l < depth; ++l) {
    for (int column = 0; column < tile; ++column) {
      places.insert(place(l, column));
      CHECK(place(l, column) == place(l, column / 4 * 4) + column % 4);
    }
  }
  CHECK(places.size() == depth * tile);
  CHECK(*places.rbegin() == depth * tile - 1);
}

void weft::register_steps() { tests_alone(); }
