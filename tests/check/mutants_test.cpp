// Every mutant, as a function of the host, must be caught by the comparisons that check steps.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "host_memory.hpp"
#include "mutants.hpp"

namespace weft::test {
namespace {

using HostProblem = MutantProblem<HostMemory>;

constexpr std::int64_t count = mutant_rows * mutant_columns;

template <Mutant mutant>
void transpose(cudaStream_t, float* in, float* out) {
  for (std::int64_t row = 0; row < mutant_rows; ++row) {
    for (std::int64_t column = 0; column < mutant_columns; ++column) {
      move(mutant, in, out, mutant_rows, mutant_columns, row, column);
    }
  }
}

/// Keeps the first input and transposes that for ever.
void transpose_first(cudaStream_t stream, float* in, float* out) {
  static std::array<float, count> kept;
  static bool first = true;
  if (std::exchange(first, false)) std::copy(in, in + count, kept.begin());
  transpose<Mutant::none>(stream, kept.data(), out);
}

/// A tile is read back before half of its rows are written, as without a barrier between the two.
void transpose_without_barrier(cudaStream_t, float* in, float* out) {
  static float shared[tile][tile];
  for (std::int64_t top = 0; top < mutant_rows; top += tile) {
    for (std::int64_t left = 0; left < mutant_columns; left += tile) {
      const auto each = [&](auto work) {
        for (std::int64_t r = 0; r < std::min<std::int64_t>(tile, mutant_rows - top); ++r) {
          for (std::int64_t c = 0; c < std::min<std::int64_t>(tile, mutant_columns - left); ++c) work(r, c);
        }
      };
      const auto write = [&](std::int64_t r, std::int64_t c) {
        shared[r][c] = in[(top + r) * mutant_columns + left + c];
      };
      each([&](std::int64_t r, std::int64_t c) {
        if (r % 2 == 0) write(r, c);
      });
      each([&](std::int64_t r, std::int64_t c) { out[(left + c) * mutant_rows + top + r] = shared[r][c]; });
      each([&](std::int64_t r, std::int64_t c) {
        if (r % 2 == 1) write(r, c);
      });
    }
  }
}

std::optional<Mismatch> run(HostProblem::Launch launch) {
  HostProblem problem(launch);
  return first_mismatch(problem, {1, 2}, nullptr, [] {});
}

void expect(HostProblem::Launch launch, const Caught& caught) {
  const Mismatch mismatch = required(run(launch));
  INFO(mismatch.describe());
  CHECK(mismatch.where == caught.where);
  CHECK(mismatch.index == caught.index);
  CHECK(mismatch.hint == caught.hint);
  CHECK(mismatch.expected != mismatch.got);
}

TEST_CASE("the right transpose passes") { CHECK_FALSE(run(transpose<Mutant::none>).has_value()); }
TEST_CASE("mutant: one element is wrong") { expect(transpose<Mutant::element>, caught_element); }
TEST_CASE("mutant: one row is wrong") { expect(transpose<Mutant::row>, caught_row); }
TEST_CASE("mutant: the edge is not written") { expect(transpose<Mutant::edge>, caught_edge); }
TEST_CASE("mutant: the guard before is written") {
  expect(transpose<Mutant::guard_before>, caught_guard_before);
}
TEST_CASE("mutant: the guard after is written") {
  expect(transpose<Mutant::guard_after>, caught_guard_after);
}
TEST_CASE("mutant: one element is NaN") { expect(transpose<Mutant::nan>, caught_nan); }
TEST_CASE("mutant: the input is written") { expect(transpose<Mutant::input>, caught_input); }
TEST_CASE("mutant: the output is stale") { expect(transpose_first, caught_stale); }
TEST_CASE("mutant: a barrier is missing") { CHECK(run(transpose_without_barrier).has_value()); }

}  // namespace
}  // namespace weft::test
