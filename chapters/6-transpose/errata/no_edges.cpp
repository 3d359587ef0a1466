// Source 000's transposes test no index against the matrix: right where the block, or four of it, divides
// both sides.
#include <doctest/doctest.h>

#include "host.hpp"

namespace {
using namespace weft::errata;

constexpr dim3 block{32, 8};
constexpr dim3 patches_block{16, 16};
constexpr unsigned patch = 4;

// [source]
std::vector<Move> source_kernel(const Thread& thread, Extents extents) {
  const std::int64_t i = thread.y();
  const std::int64_t j = thread.x();
  return {{i * extents.nx + j, j * extents.ny + i}};
}
// [source]

// [repaired]
std::vector<Move> repaired_kernel(const Thread& thread, Extents extents) {
  const std::int64_t i = thread.y();
  const std::int64_t j = thread.x();
  if (i >= extents.ny || j >= extents.nx) return {};
  return {{i * extents.nx + j, j * extents.ny + i}};
}
// [repaired]

/// The kernel whose threads move 4 × 4 elements each, as the given one moves one.
Kernel in_patches(const Kernel& kernel) {
  return [=](const Thread& thread, Extents extents) {
    std::vector<Move> moves;
    const auto x = static_cast<unsigned>(thread.x()) * patch;
    const auto y = static_cast<unsigned>(thread.y()) * patch;
    for (unsigned k = 0; k < patch * patch; ++k) {
      const Thread element{thread.grid, {1, 1}, {x + k % patch, y + k / patch}, {0, 0}};
      const std::vector<Move> one = kernel(element, extents);
      moves.insert(moves.end(), one.begin(), one.end());
    }
    return moves;
  };
}

Outcome transposed_by(const Kernel& kernel, Extents extents) {
  return run(kernel, extents, grid_for(extents, block), block);
}

Outcome transposed_in_patches_by(const Kernel& kernel, Extents extents) {
  const dim3 covered{patches_block.x * patch, patches_block.y * patch};
  return run(in_patches(kernel), extents, grid_for(extents, covered), patches_block);
}

bool transposes(const Outcome& outcome, Extents extents) {
  return outcome.outside == 0 && is_transpose(outcome.out, extents);
}

}  // namespace

TEST_CASE("source 000: right where blocks cover the matrix without a rest, and outside of it elsewhere") {
  constexpr Extents even{128, 64};
  CHECK(transposes(transposed_by(source_kernel, even), even));
  CHECK(transposes(transposed_in_patches_by(source_kernel, even), even));
  for (const Extents odd : {Extents{129, 64}, {128, 65}, {31, 7}}) {
    CHECK(transposed_by(source_kernel, odd).outside > 0);
    CHECK(transposed_in_patches_by(source_kernel, odd).outside > 0);
  }
}

TEST_CASE("repaired: each element is tested, and every size is right") {
  for (const Extents odd : {Extents{129, 64}, {128, 65}, {31, 7}}) {
    CHECK(transposes(transposed_by(repaired_kernel, odd), odd));
    CHECK(transposes(transposed_in_patches_by(repaired_kernel, odd), odd));
  }
}
