// How many blocks should stay? As few as take no longer than all that the card holds.
//
// Exercise: 300 pieces are done by blocks that stay, of which the card holds 264. A block takes as long alone
// as beside another one. What is the smallest number of blocks that takes equally long?
#include "problem.hpp"

namespace {
// [even]
/// Pieces that the busiest of so many blocks takes.
constexpr std::int64_t rounds_of(std::int64_t pieces, std::int64_t blocks) {
  return blocks_over(pieces, blocks);
}

/// The fewest blocks that need no more rounds than `at_once` of them.
constexpr std::int64_t even_blocks(std::int64_t pieces, std::int64_t at_once) {
  return blocks_over(pieces, rounds_of(pieces, at_once));
}
// [even]
}  // namespace

void weft::register_steps() { tests_alone(); }

TEST_CASE("the fewest blocks take as many rounds, and one fewer takes more") {
  CHECK(even_blocks(300, 264) == 150);
  for (const std::int64_t pieces : {1, 263, 264, 265, 300, 528, 529, 1000, 100'000}) {
    const std::int64_t blocks = even_blocks(pieces, 264);
    CHECK(blocks <= 264);
    CHECK(rounds_of(pieces, blocks) == rounds_of(pieces, 264));
    if (blocks > 1) CHECK(rounds_of(pieces, blocks - 1) > rounds_of(pieces, 264));
  }
}
