// Stream-K's division of iterations among blocks, with cuts that leave no short rest.
//
// Exercise: Let a block's part end only where at least four iterations of a tile are left. Predict what that
// saves, and what it costs. Then change the division.
#include <doctest/doctest.h>

#include <cstdint>

#include "step/vocabulary.hpp"

namespace {
constexpr int least = 4;

/// The tiles that are cut, and how often each adds along the depth.
struct Shared {
  std::int64_t tiles, iterations;
  std::int64_t blocks;

  [[nodiscard]] constexpr std::int64_t total() const { return tiles * iterations; }
};

// [cut]
/// Where a block's part begins, as in the step: all parts are equally long.
constexpr std::int64_t equal_cut(const Shared& shared, std::int64_t block) {
  return shared.total() * block / shared.blocks;
}

/// Where it begins if that leaves at least four iterations of a tile; else where the next tile begins.
constexpr std::int64_t moved_cut(const Shared& shared, std::int64_t block) {
  const std::int64_t cut = equal_cut(shared, block);
  const std::int64_t left = (shared.iterations - cut % shared.iterations) % shared.iterations;
  return left < least ? cut + left : cut;
}
// [cut]
}  // namespace

TEST_CASE("every iteration has one block, no rest is short, and no part differs by four from an equal one") {
  int moved = 0;
  for (const Shared& shared :
       {Shared{248, 128, 132}, {32, 32, 132}, {8, 2048, 132}, {149, 65, 132}, {3, 7, 5}}) {
    CHECK(moved_cut(shared, 0) == 0);
    CHECK(moved_cut(shared, shared.blocks) == shared.total());
    for (std::int64_t block = 0; block < shared.blocks; ++block) {
      const std::int64_t begin = moved_cut(shared, block);
      const std::int64_t end = moved_cut(shared, block + 1);
      CHECK(begin <= end);
      const std::int64_t equal = equal_cut(shared, block + 1) - equal_cut(shared, block);
      CHECK(end - begin < equal + least);
      CHECK(end - begin > equal - least);
      const bool begins_tile = begin % shared.iterations == 0;
      CHECK((begins_tile || shared.iterations - begin % shared.iterations >= least));
      moved += static_cast<int>(begin != equal_cut(shared, block));
    }
  }
  CHECK(moved > 0);
}

void weft::register_steps() { tests_alone(); }
