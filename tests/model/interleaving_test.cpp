#include "model/interleaving.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>
#include <vector>

#include "model/tiled_product.hpp"

namespace {

using namespace weft::model;
using Places = std::set<std::pair<std::int64_t, std::int64_t>>;

constexpr Interleaving toy{8, 4, 2, Turn::channel};  // bursts of two floats, four channels of two banks

BankPlace place(std::int64_t element) { return toy.place(element * 4); }

TEST_CASE(
    "source 003: M[0] to M[15] in four channels of two banks, and M[16] to M[19] where all begins again") {
  const std::vector<BankPlace> places{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1},
                                      {1, 1}, {2, 1}, {3, 1}, {0, 0}, {1, 0}};
  for (std::int64_t element = 0; element < 20; ++element) {
    INFO("M[", element, "]");
    CHECK(place(element) == places[static_cast<std::size_t>(element / 2)]);
  }
}

TEST_CASE("source 003: sixteen elements are in all channels and banks, and fewer are not") {
  Places seen;
  for (std::int64_t element = 0; element < 16; ++element) {
    CHECK(seen.size() < 8 + (element == 15));
    seen.insert({place(element).channel, place(element).bank});
  }
  CHECK(seen.size() == 8);
  CHECK(toy.bytes_in_all_banks() == 16 * 4);
}

TEST_CASE("with the bank's turn first, a channel's banks come one after the other") {
  constexpr Interleaving other{8, 4, 2, Turn::bank};
  CHECK(other.place(0) == BankPlace{0, 0});
  CHECK(other.place(8) == BankPlace{0, 1});
  CHECK(other.place(16) == BankPlace{1, 0});
  CHECK(other.place(63) == BankPlace{3, 1});
  CHECK(other.place(64) == BankPlace{0, 0});
}

/// The elements of M that a block loads in a phase, thread by thread.
std::vector<std::int64_t> of_m(const TiledProduct& product, std::int64_t block_row, std::int64_t phase) {
  std::vector<std::int64_t> elements;
  for (std::int64_t y = 0; y < product.tile; ++y) {
    for (std::int64_t x = 0; x < product.tile; ++x) elements.push_back(product.of_m(block_row, phase, y, x));
  }
  return elements;
}

/// Where all blocks' loads of M, or of N, lie in a phase.
Places places(const TiledProduct& product, std::int64_t phase, bool of_n) {
  Places found;
  for (std::int64_t block = 0; block < product.phases(); ++block) {
    for (std::int64_t y = 0; y < product.tile; ++y) {
      for (std::int64_t x = 0; x < product.tile; ++x) {
        const BankPlace one =
            place(of_n ? product.of_n(block, phase, y, x) : product.of_m(block, phase, y, x));
        found.insert({one.channel, one.bank});
      }
    }
  }
  return found;
}

constexpr TiledProduct four{4, 2}, eight{8, 2};

TEST_CASE("source 003, 4 × 4: the elements of M that each block loads in each phase") {
  // Blocks (0, 0) and (0, 1) load the same ones, and so do blocks (1, 0) and (1, 1).
  CHECK(of_m(four, 0, 0) == std::vector<std::int64_t>{0, 1, 4, 5});
  CHECK(of_m(four, 0, 1) == std::vector<std::int64_t>{2, 3, 6, 7});
  CHECK(of_m(four, 1, 0) == std::vector<std::int64_t>{8, 9, 12, 13});
  CHECK(of_m(four, 1, 1) == std::vector<std::int64_t>{10, 11, 14, 15});
}

TEST_CASE("source 003, 4 × 4: phase 0 goes to both banks of channels 0 and 2, phase 1 to those of 1 and 3") {
  CHECK(places(four, 0, false) == Places{{0, 0}, {0, 1}, {2, 0}, {2, 1}});
  CHECK(places(four, 1, false) == Places{{1, 0}, {1, 1}, {3, 0}, {3, 1}});
}

TEST_CASE("source 003 leaves out N: each phase goes to all four channels, to one bank of each") {
  CHECK(places(four, 0, true) == Places{{0, 0}, {1, 0}, {2, 0}, {3, 0}});
  CHECK(places(four, 1, true) == Places{{0, 1}, {1, 1}, {2, 1}, {3, 1}});
}

TEST_CASE("source 003, 8 × 8: M's loads use four channels over the run, and one channel in a phase") {
  Places all;
  for (std::int64_t phase = 0; phase < eight.phases(); ++phase) {
    CHECK(places(eight, phase, false) == Places{{phase, 0}, {phase, 1}});
    CHECK(places(eight, phase, true).size() == 8);
    all.merge(places(eight, phase, false));
  }
  CHECK(all.size() == 8);
}

}  // namespace
