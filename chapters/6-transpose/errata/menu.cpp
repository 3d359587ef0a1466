// Source 001's menu: entry 4 launches the kernel that reads columns, where the one that reads rows was meant.
#include <doctest/doctest.h>

#include <array>
#include <string_view>

#include "host.hpp"

namespace {
using namespace weft::errata;

constexpr unsigned unroll = 4;

std::vector<Move> unrolled_rows(const Thread& thread, Extents extents) {
  std::vector<Move> moves;
  for (unsigned k = 0; k < unroll; ++k) {
    const std::int64_t x = std::int64_t{thread.blockIdx.x} * thread.block.x * unroll + thread.threadIdx.x +
                           std::int64_t{k} * thread.block.x;
    moves.push_back({thread.y() * extents.nx + x, x * extents.ny + thread.y()});
  }
  return moves;
}

std::vector<Move> unrolled_columns(const Thread& thread, Extents extents) {
  std::vector<Move> moves = unrolled_rows(thread, extents);
  for (Move& move : moves) std::swap(move.from, move.to);
  return moves;
}

struct Entry {
  std::string_view title;
  Kernel kernel;
};

// [source]
const std::array source_menu{Entry{"4: unrolled, reading rows", unrolled_columns},
                             Entry{"5: unrolled, reading columns", unrolled_columns}};
// [source]

// [repaired]
const std::array repaired_menu{Entry{"4: unrolled, reading rows", unrolled_rows},
                               Entry{"5: unrolled, reading columns", unrolled_columns}};
// [repaired]

constexpr Extents extents{256, 256};
constexpr dim3 block{32, 32};

bool reads_rows(const Entry& entry) {
  return sectors_of_first_load(entry.kernel, extents, grid_for(extents, block, unroll), block) == 4;
}

}  // namespace

TEST_CASE("no comparison of results can tell the entries apart: each transposes") {
  for (const auto& menu : {source_menu, repaired_menu}) {
    for (const Entry& entry : menu) {
      const Outcome outcome = run(entry.kernel, extents, grid_for(extents, block, unroll), block);
      CHECK(outcome.outside == 0);
      CHECK(is_transpose(outcome.out, extents));
    }
  }
}

TEST_CASE("source 001: what its entry 4 reads are columns, 32 sectors a request") {
  CHECK_FALSE(reads_rows(source_menu[0]));
  CHECK_FALSE(reads_rows(source_menu[1]));
}

TEST_CASE("repaired: a count of sectors tells them apart, and each is what its title says") {
  CHECK(reads_rows(repaired_menu[0]));
  CHECK_FALSE(reads_rows(repaired_menu[1]));
}
