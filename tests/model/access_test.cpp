#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>

#include "model/access.hpp"
#include "random_lanes.hpp"

using namespace weft::model;

namespace {

// Neighbouring lanes, neighbouring elements: as many sectors as bytes need.
static_assert(sectors(Lanes(1, [](int lane) { return lane; })) == 1);
static_assert(sectors(Lanes(4, [](int lane) { return lane; })) == 4);
static_assert(sectors(Lanes(16, [](int lane) { return lane; })) == 16);
// The same, shifted by one float: a fifth sector.
static_assert(sectors(Lanes(4, [](int lane) { return lane + 1; })) == 5);
// A column of a wide matrix: a sector per lane; every lane the same: one.
static_assert(sectors(Lanes(4, [](int lane) { return lane * 1024; })) == 32);
static_assert(sectors(Lanes(4, [](int) { return 7; })) == 1);
// Two lanes per sector, because a stride of 4 floats puts two of them into 32 bytes.
static_assert(sectors(Lanes(4, [](int lane) { return lane * 4; })) == 16);
// Below the base: sectors are counted from it in both directions.
static_assert(sectors(Lanes(4, [](int lane) { return lane - 1; })) == 5);
static_assert(sectors(Lanes(4, [](int lane) { return lane - 32; })) == 4);

// The last warp of a row of 40 floats: 8 lanes are left.
constexpr Lanes row_end(4, [](int lane) -> Element {
  if (32 + lane >= 40) return {};
  return 32 + lane;
});
static_assert(requests(row_end) == 1 && sectors(row_end) == 1);

constexpr Lanes nobody(4, [](int) { return Element{}; });
static_assert(requests(nobody) == 0 && sectors(nobody) == 0 && reduction_sectors(nobody) == 0);

// 32 floats fill one line of 128 bytes; shifted by one they reach into the next.
static_assert(lines(Lanes(4, [](int lane) { return lane; })) == 1);
static_assert(lines(Lanes(4, [](int lane) { return lane + 1; })) == 2);
static_assert(lines(Lanes(4, [](int lane) { return lane - 1; })) == 2);
static_assert(lines(Lanes(16, [](int lane) { return lane; })) == 4);
static_assert(lines(Lanes(4, [](int lane) { return lane * 32; })) == 32);
static_assert(lines(row_end) == 1 && lines(nobody) == 0);

// What several lanes want is wanted once.
static_assert(wanted_bytes(Lanes(8, [](int lane) { return lane * 5; })) == 256);
static_assert(wanted_bytes(Lanes(4, [](int lane) { return lane / 2; })) == 64);
static_assert(wanted_bytes(row_end) == 32 && wanted_bytes(nobody) == 0);

// 32 lanes that add to one address take 32 passes; to 32 neighbours, one.
static_assert(reduction_sectors(Lanes(4, [](int) { return 0; })) == 32);
static_assert(reduction_sectors(Lanes(4, [](int lane) { return lane; })) == 4);
static_assert(reduction_sectors(Lanes(4, [](int lane) { return lane / 2; })) == 4);

TEST_CASE("a width that no instruction has is refused") {
  for (const int width : {-4, 0, 3, 5, 12, 32}) {
    CHECK_THROWS_AS(Lanes(width, [](int lane) { return lane; }), std::invalid_argument);
  }
}

TEST_CASE("sectors lie between what the bytes need and one per lane") {
  for (const int width : widths) {
    for_random_elements(random_cases, [&](const Elements& elements) {
      std::set<std::int64_t> different;
      for (const Element& element : elements) {
        if (element) different.insert(*element);
      }
      const int counted = sectors(lanes_of(width, elements));
      const auto bytes = static_cast<std::int64_t>(different.size()) * width;
      REQUIRE(counted >= (bytes + sector_bytes - 1) / sector_bytes);
      REQUIRE(counted <= active_lanes(elements));
      REQUIRE(wanted_bytes(lanes_of(width, elements)) == bytes);
      REQUIRE(lines(lanes_of(width, elements)) <= counted);
      REQUIRE(lines(lanes_of(width, elements)) * (line_bytes / sector_bytes) >= counted);
    });
  }
}

TEST_CASE("it does not matter which lane wants which element") {
  std::mt19937 random(1);
  for (const int width : widths) {
    for_random_elements(random_cases, [&](Elements elements) {
      const Lanes before = lanes_of(width, elements);
      std::ranges::shuffle(elements, random);
      const Lanes after = lanes_of(width, elements);
      REQUIRE(requests(before) == requests(after));
      REQUIRE(sectors(before) == sectors(after));
      REQUIRE(reduction_sectors(before) == reduction_sectors(after));
    });
  }
}

TEST_CASE("a shift by whole sectors changes nothing") {
  for (const int width : widths) {
    for_random_elements(random_cases, [&](Elements elements) {
      const Lanes before = lanes_of(width, elements);
      for (Element& element : elements) {
        if (element) element = *element - 3 * sector_bytes / width;
      }
      const Lanes after = lanes_of(width, elements);
      REQUIRE(sectors(before) == sectors(after));
      REQUIRE(reduction_sectors(before) == reduction_sectors(after));
    });
  }
}

TEST_CASE("a reduction takes a load's sectors if no address repeats, and more only if one does") {
  for_random_elements(random_cases, [&](const Elements& elements) {
    const Lanes lanes = lanes_of(4, elements);
    std::set<std::int64_t> different;
    for (const Element& element : elements) {
      if (element) different.insert(*element);
    }
    if (static_cast<std::int64_t>(different.size()) == active_lanes(elements)) {
      REQUIRE(reduction_sectors(lanes) == sectors(lanes));
    } else {
      REQUIRE(reduction_sectors(lanes) > sectors(lanes));
      REQUIRE(reduction_sectors(lanes) <= active_lanes(elements));
    }
  });
}

}  // namespace
