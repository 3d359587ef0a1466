#pragma once

/// @file
/// Transposes made wrong on purpose, once for the host and for the device, and the problem that they pretend
/// to solve.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/buffer.hpp"
#include "check/checks.hpp"
#include "check/compare.hpp"
#include "step/step.hpp"

#ifdef __CUDACC__
#define WEFT_EVERYWHERE __host__ __device__
#else
#define WEFT_EVERYWHERE
#endif

namespace weft::test {

inline constexpr int tile = 32;
inline constexpr std::int64_t mutant_rows = 70;
inline constexpr std::int64_t mutant_columns = 101;

enum class Mutant : std::uint8_t { none, element, row, edge, guard_before, guard_after, nan, input };

/// Moves one element; wrong where the mutant says so. The element-wise mutants on both sides share it.
WEFT_EVERYWHERE inline void move(Mutant mutant, float* in, float* out, std::int64_t rows,
                                 std::int64_t columns, std::int64_t row, std::int64_t column) {
  const bool middle = row == rows / 2 && column == columns / 2;
  const bool whole_tile = column < columns / tile * tile;
  std::int64_t source = row * columns + column;
  if (mutant == Mutant::edge && !whole_tile) return;
  if (mutant == Mutant::element && middle) source = 0;
  if (mutant == Mutant::row && row == rows - 1) source = column;
  out[column * rows + row] = in[source];
  if (mutant == Mutant::guard_before && middle) out[-1] = in[source];
  if (mutant == Mutant::guard_after && middle) out[rows * columns + 5] = in[source];
  if (mutant == Mutant::nan && middle) out[column * rows + row] = __builtin_nanf("");
  if (mutant == Mutant::input && middle) in[source] = 0;
}

/// A transpose of mutant_rows by mutant_columns in either kind of memory.
template <typename Memory>
class MutantProblem final : public Problem {
 public:
  using Launch = void (*)(cudaStream_t, float* in, float* out);

  explicit MutantProblem(Launch launch) : launch_(launch) {}

  void fill(std::uint64_t seed) override {
    seed_ = seed;
    in_.fill([seed](std::int64_t i) { return hashed_float(seed, i); });
  }
  void poison(cudaStream_t stream) override { out_.poison(stream); }
  void launch(cudaStream_t stream) override { launch_(stream, in_.data(), out_.data()); }
  Verdict verify() override {
    const auto transposed = [](std::uint64_t seed) {
      return [seed](std::int64_t i) {
        return hashed_float(seed, i % mutant_rows * mutant_columns + i / mutant_rows);
      };
    };
    const ArrayName output{"output", {mutant_columns, mutant_rows}};
    if (auto mismatch = compare(out_, output, transposed(seed_), transposed(seed_ - 1))) return mismatch;
    return unchanged(in_, {"input", {mutant_rows, mutant_columns}},
                     [this](std::int64_t i) { return hashed_float(seed_, i); });
  }

 private:
  Launch launch_;
  GuardedBuffer<float, Memory> in_{mutant_rows * mutant_columns};
  GuardedBuffer<float, Memory> out_{mutant_rows * mutant_columns};
  std::uint64_t seed_ = 0;
};

/// What a mutant must be caught with.
struct Caught {
  std::string where;
  Numbers index;
  std::string hint;
};

/// The mismatch, which must be there.
inline Mismatch required(const std::optional<Mismatch>& mismatch) {
  if (!mismatch) throw std::runtime_error("the mutant was not caught");
  return *mismatch;
}

inline const Numbers middle_of_output{mutant_columns / 2, mutant_rows / 2};
inline const Caught caught_element{"output", middle_of_output, ""};
inline const Caught caught_row{"output", {0, mutant_rows - 1}, ""};
inline const Caught caught_edge{
    "output", {mutant_columns / tile * tile, 0}, "never written: the poison is still there"};
inline const Caught caught_guard_before{"guard before output", {-1}, "written out of bounds"};
inline const Caught caught_guard_after{
    "guard after output", {mutant_rows * mutant_columns + 5}, "written out of bounds"};
inline const Caught caught_nan{"output", middle_of_output, "NaN"};
inline const Caught caught_input{"input", {mutant_rows / 2, mutant_columns / 2}, "an input was written"};
inline const Caught caught_stale{"output", {0, 0}, "stale: right for the launch before"};

}  // namespace weft::test
