// Source 001's unrolled kernels move four elements each, and test the first alone against the matrix's edge.
#include <doctest/doctest.h>

#include "host.hpp"

namespace {
using namespace weft::errata;

constexpr unsigned unroll = 4;
constexpr dim3 block{32, 8};

std::int64_t column_of(const Thread& thread, unsigned k) {
  return std::int64_t{thread.blockIdx.x} * thread.block.x * unroll + thread.threadIdx.x +
         std::int64_t{k} * thread.block.x;
}

// [source]
std::vector<Move> source_kernel(const Thread& thread, Extents extents) {
  std::vector<Move> moves;
  const std::int64_t iy = thread.y();
  if (column_of(thread, 0) < extents.nx && iy < extents.ny) {
    for (unsigned k = 0; k < unroll; ++k) {
      const std::int64_t ix = column_of(thread, k);
      moves.push_back({ix + iy * extents.nx, ix * extents.ny + iy});
    }
  }
  return moves;
}
// [source]

// [repaired]
std::vector<Move> repaired_kernel(const Thread& thread, Extents extents) {
  std::vector<Move> moves;
  const std::int64_t iy = thread.y();
  for (unsigned k = 0; k < unroll; ++k) {
    const std::int64_t ix = column_of(thread, k);
    if (ix < extents.nx && iy < extents.ny) moves.push_back({ix + iy * extents.nx, ix * extents.ny + iy});
  }
  return moves;
}
// [repaired]

Outcome transposed_by(const Kernel& kernel, Extents extents) {
  return run(kernel, extents, grid_for(extents, block, unroll), block);
}

}  // namespace

TEST_CASE("source 001: right where 128 divides the number of columns, as it does 4096") {
  constexpr Extents extents{256, 40};
  const Outcome outcome = transposed_by(source_kernel, extents);
  CHECK(outcome.outside == 0);
  CHECK(is_transpose(outcome.out, extents));
}

TEST_CASE("source 001: one column more or less, and it leaves the matrix") {
  for (const std::int64_t nx : {1, 33, 127, 129, 255, 257}) {
    CHECK(transposed_by(source_kernel, {nx, 40}).outside > 0);
  }
}

TEST_CASE("repaired: each element is tested, and every width is right") {
  for (const std::int64_t nx : {1, 33, 127, 128, 129, 255, 256, 257}) {
    const Outcome outcome = transposed_by(repaired_kernel, {nx, 40});
    CHECK(outcome.outside == 0);
    CHECK(is_transpose(outcome.out, {nx, 40}));
  }
}
