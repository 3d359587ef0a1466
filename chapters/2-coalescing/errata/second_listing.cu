// Source 002's second listing launches the scalar kernel once more, in smaller blocks; its text speaks of a
// launch with a quarter of the threads.
#include <doctest/doctest.h>

#include <cmath>

#include "model/occupancy.hpp"
#include "vectors.hpp"

namespace {
using weft::model::Resource;

constexpr int count = 2048 * 4096;
constexpr int multiprocessors = 24;
constexpr int registers = 16;

// [source]
constexpr int source_block = 64;
constexpr int source_blocks = (count + source_block - 1) / source_block;
// [source]

// [repaired]
constexpr int repaired_blocks = (count / 4 + source_block - 1) / source_block;
// [repaired]

weft::model::Occupancy on_its_card(int block) {
  return weft::model::occupancy(
      weft::model::device_limits(8, 9),
      {.threads = block, .registers = registers, .static_shared = 0, .dynamic_shared = 0});
}

/// The grid over the blocks that its card holds at a time, to two decimals.
double waves(int blocks, int block) {
  return std::round(100 * weft::model::waves(blocks, on_its_card(block).blocks, multiprocessors)) / 100;
}
}  // namespace

TEST_CASE("the limits of source 002's scalar kernel follow from its block and its registers") {
  const weft::model::Occupancy scalar = on_its_card(256);
  CHECK(scalar.limit(Resource::blocks) == 24);
  CHECK(scalar.limit(Resource::registers) == 16);
  CHECK(scalar.limit(Resource::warps) == 6);
  CHECK(scalar.warps == 48);
  CHECK(waves(count / 256, 256) == 227.56);
}

TEST_CASE("source 002: the grid of its second listing gives the waves of the first") {
  CHECK(on_its_card(source_block).limit(Resource::warps) == 24);
  CHECK(waves(source_blocks, source_block) == 227.56);
}

TEST_CASE("repaired: a thread for four elements gives the waves that the text has") {
  CHECK(waves(repaired_blocks, source_block) == 56.89);
}

void weft::register_steps() { tests_alone(); }
