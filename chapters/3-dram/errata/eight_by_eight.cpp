// Source 003 lets the reader verify that an 8 × 8 product uses all four channels, where the phases of 4 × 4
// use two. It does over the whole run, and so does 4 × 4. In a phase, its loads of M use one.
#include <doctest/doctest.h>

#include <set>

#include "model/interleaving.hpp"
#include "model/tiled_product.hpp"

namespace {
using namespace weft::model;

constexpr Interleaving toy{8, 4, 2, Turn::channel};
constexpr std::int64_t tile = 2;

using Channels = std::set<std::int64_t>;

// [source]
/// What the source counts for 4 × 4, M alone, in each phase.
Channels in_phase(std::int64_t width, std::int64_t phase) {
  const TiledProduct product{width, tile};
  Channels found;
  for (std::int64_t block_row = 0; block_row < product.phases(); ++block_row) {
    for (std::int64_t element = 0; element < tile * tile; ++element) {
      found.insert(toy.place(4 * product.of_m(block_row, phase, element / tile, element % tile)).channel);
    }
  }
  return found;
}
// [source]

// [repaired]
/// What the source means by 8 × 8: all phases together.
Channels in_run(std::int64_t width) {
  Channels found;
  for (std::int64_t phase = 0; phase < width / tile; ++phase) found.merge(in_phase(width, phase));
  return found;
}
// [repaired]

}  // namespace

TEST_CASE("source 003: the phases of 4 × 4 use two channels each, those of 8 × 8 one") {
  CHECK(in_phase(4, 0) == Channels{0, 2});
  CHECK(in_phase(4, 1) == Channels{1, 3});
  for (std::int64_t phase = 0; phase < 4; ++phase) CHECK(in_phase(8, phase) == Channels{phase});
}

TEST_CASE("repaired: over their runs both use all four") {
  CHECK(in_run(4) == Channels{0, 1, 2, 3});
  CHECK(in_run(8) == Channels{0, 1, 2, 3});
}
