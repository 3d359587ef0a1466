// Source 001's diagonal kernels and its reference on the CPU are right for square matrices only.
#include <doctest/doctest.h>

#include "diagonal.hpp"
#include "host.hpp"

namespace {
using namespace weft::errata;

constexpr dim3 block{32, 8};
constexpr Extents square{256, 64};  // of blocks: 8 × 8
constexpr Extents wide{320, 40};    // of blocks: 10 × 5
constexpr Extents tall{64, 80};     // of blocks: 2 × 10

/// The element of a thread in a block that was sent elsewhere.
std::vector<Move> transposed_at(uint2 place, const Thread& thread, Extents extents) {
  const std::int64_t ix = std::int64_t{place.x} * thread.block.x + thread.threadIdx.x;
  const std::int64_t iy = std::int64_t{place.y} * thread.block.y + thread.threadIdx.y;
  if (ix >= extents.nx || iy >= extents.ny) return {};
  return {{iy * extents.nx + ix, ix * extents.ny + iy}};
}

// [source]
std::vector<Move> source_kernel(const Thread& thread, Extents extents) {
  const unsigned block_y = thread.blockIdx.x;
  const unsigned block_x = (thread.blockIdx.x + thread.blockIdx.y) % thread.grid.x;
  return transposed_at({block_x, block_y}, thread, extents);
}

Outcome source_reference(Extents extents) {
  const auto thread_moves = [](const Thread& thread, Extents size) -> std::vector<Move> {
    const std::int64_t i = thread.x();
    const std::int64_t j = thread.y();
    return {{j * size.nx + i, i * size.nx + j}};  // MatB[i * nx + j] = MatA[j * nx + i]
  };
  return run(thread_moves, extents, grid_for(extents, {1, 1}), {1, 1});
}
// [source]

// [repaired]
std::vector<Move> repaired_kernel(const Thread& thread, Extents extents) {
  const unsigned n = thread.blockIdx.y * thread.grid.x + thread.blockIdx.x;
  return transposed_at(weft::diagonal(n, {thread.grid.x, thread.grid.y}), thread, extents);
}

Outcome repaired_reference(Extents extents) {
  const auto thread_moves = [](const Thread& thread, Extents size) -> std::vector<Move> {
    const std::int64_t i = thread.x();
    const std::int64_t j = thread.y();
    return {{j * size.nx + i, i * size.ny + j}};
  };
  return run(thread_moves, extents, grid_for(extents, {1, 1}), {1, 1});
}
// [repaired]

bool transposes(const Kernel& kernel, Extents extents) {
  const Outcome outcome = run(kernel, extents, grid_for(extents, block), block);
  return outcome.outside == 0 && is_transpose(outcome.out, extents);
}

bool transposes(const Outcome& outcome, Extents extents) {
  return outcome.outside == 0 && is_transpose(outcome.out, extents);
}

}  // namespace

TEST_CASE("source 001: the diagonal order visits every block only if the grid is square") {
  CHECK(transposes(source_kernel, square));
  CHECK_FALSE(transposes(source_kernel, wide));
  CHECK_FALSE(transposes(source_kernel, tall));
}

TEST_CASE("repaired: the diagonal order of any grid") {
  for (const Extents extents : {square, wide, tall}) CHECK(transposes(repaired_kernel, extents));
}

TEST_CASE("source 001: the reference multiplies by nx where a row of the output has ny elements") {
  CHECK(transposes(source_reference({64, 64}), {64, 64}));
  CHECK_FALSE(transposes(source_reference({64, 48}), {64, 48}));
  CHECK_FALSE(transposes(source_reference({48, 64}), {48, 64}));
}

TEST_CASE("repaired: the reference of any shape") {
  for (const Extents extents : {Extents{64, 64}, {64, 48}, {48, 64}, {1, 7}}) {
    CHECK(transposes(repaired_reference(extents), extents));
  }
}
