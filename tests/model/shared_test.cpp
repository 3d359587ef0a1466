#include <doctest/doctest.h>

#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "model/shared.hpp"
#include "random_lanes.hpp"

using namespace weft::model;

namespace {

// A row of a tile, a column of it, a column with one column of padding, and a broadcast.
static_assert(shared_load_wavefronts(Lanes(4, [](int lane) { return lane; })) == 1);
static_assert(shared_load_wavefronts(Lanes(4, [](int lane) { return lane * 32; })) == 32);
static_assert(shared_load_wavefronts(Lanes(4, [](int lane) { return lane * 33; })) == 1);
static_assert(shared_load_wavefronts(Lanes(4, [](int) { return 5; })) == 1);
// A column of a tile whose columns are swizzled by the row.
static_assert(shared_load_wavefronts(Lanes(4, [](int lane) { return lane * 32 + (3 ^ lane); })) == 1);
// Wide accesses need two and four phases when every lane wants bytes of its own.
static_assert(shared_load_wavefronts(Lanes(8, [](int lane) { return lane; })) == 2);
static_assert(shared_load_wavefronts(Lanes(16, [](int lane) { return lane; })) == 4);
// Pairs of lanes at the same address halve the phases of a load, not those of a store.
static_assert(shared_load_wavefronts(Lanes(8, [](int lane) { return lane / 2; })) == 1);
static_assert(shared_store_wavefronts(Lanes(8, [](int lane) { return lane / 2; })) == 2);
static_assert(shared_load_wavefronts(Lanes(16, [](int lane) { return lane / 2; })) == 2);
static_assert(shared_store_wavefronts(Lanes(16, [](int lane) { return lane / 2; })) == 4);
// So do pairs of which one lane takes no part.
constexpr Lanes even_lanes(8, [](int lane) -> Element {
  if (lane % 2 != 0) return {};
  return lane / 2;
});
static_assert(shared_load_wavefronts(even_lanes) == 1);
static_assert(shared_store_wavefronts(even_lanes) == 2);
// Pairs must agree throughout the warp: one that does not keeps all phases apart.
static_assert(shared_load_wavefronts(Lanes(8, [](int lane) { return lane == 31 ? 0 : lane / 2; })) == 2);
// Four bytes share a word, and a word is given to all that want it.
static_assert(shared_load_wavefronts(Lanes(1, [](int lane) { return lane; })) == 1);
static_assert(shared_load_wavefronts(Lanes(1, [](int lane) { return lane * 128; })) == 32);
// Atomics on one counter are done one lane after the other; on neighbours, all at once.
static_assert(shared_atomic_wavefronts(Lanes(4, [](int) { return 0; })) == 32);
static_assert(shared_atomic_wavefronts(Lanes(4, [](int lane) { return lane; })) == 1);

constexpr Lanes no_lane(16, [](int) { return Element{}; });
static_assert(shared_load_wavefronts(no_lane) == 0 && shared_store_wavefronts(no_lane) == 0);

TEST_CASE("a stride of s words costs gcd(s, 32) wavefronts") {
  for (int stride = 1; stride <= 256; ++stride) {
    const Lanes lanes(4, [&](int lane) { return lane * stride; });
    CHECK(shared_load_wavefronts(lanes) == std::gcd(stride, banks));
    CHECK(shared_store_wavefronts(lanes) == std::gcd(stride, banks));
    CHECK(shared_atomic_wavefronts(lanes) == std::gcd(stride, banks));
  }
}

TEST_CASE("atomics of another width than 4 bytes are refused") {
  for (const int width : {1, 2, 8, 16}) {
    CHECK_THROWS_AS(shared_atomic_wavefronts(Lanes(width, [](int lane) { return lane; })),
                    std::invalid_argument);
  }
}

TEST_CASE("wavefronts lie between what 32 banks can give and one per lane") {
  for (const int width : widths) {
    for_random_elements(random_cases, [&](const Elements& elements) {
      std::set<std::int64_t> words;
      for (const Element& element : elements) {
        if (!element) continue;
        for (std::int64_t byte = *element * width; byte < (*element + 1) * width; ++byte)
          words.insert(byte / word_bytes);
      }
      const Lanes lanes = lanes_of(width, elements);
      REQUIRE(shared_load_wavefronts(lanes) >= static_cast<int>(words.size() + banks - 1) / banks);
      REQUIRE(shared_load_wavefronts(lanes) <= shared_store_wavefronts(lanes));
      REQUIRE(shared_store_wavefronts(lanes) <= active_lanes(elements));
    });
  }
}

TEST_CASE("atomics cost at least a store") {
  for_random_elements(random_cases, [](const Elements& elements) {
    const Lanes lanes = lanes_of(4, elements);
    REQUIRE(shared_atomic_wavefronts(lanes) >= shared_store_wavefronts(lanes));
    REQUIRE(shared_atomic_wavefronts(lanes) <= active_lanes(elements));
  });
}

TEST_CASE("moving all lanes by the same number of words only renames the banks") {
  for (const int width : {4, 8, 16}) {
    for_random_elements(random_cases, [&](Elements elements) {
      const Lanes before = lanes_of(width, elements);
      for (Element& element : elements) {
        if (element) element = *element + 13;
      }
      const Lanes after = lanes_of(width, elements);
      REQUIRE(shared_load_wavefronts(before) == shared_load_wavefronts(after));
      REQUIRE(shared_store_wavefronts(before) == shared_store_wavefronts(after));
    });
  }
}

TEST_CASE("a lane that stays out never costs anything") {
  for (const int width : widths) {
    for_random_elements(random_cases, [&](Elements elements) {
      const Lanes all = lanes_of(width, elements);
      for (Element& element : elements) {
        const Element kept = std::exchange(element, {});
        const Lanes fewer = lanes_of(width, elements);
        REQUIRE(shared_load_wavefronts(fewer) <= shared_load_wavefronts(all));
        REQUIRE(shared_store_wavefronts(fewer) <= shared_store_wavefronts(all));
        REQUIRE(sectors(fewer) <= sectors(all));
        element = kept;
      }
    });
  }
}

}  // namespace
