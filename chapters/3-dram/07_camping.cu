// Up to 16 lines are loaded at the same time, past the L2: all of one bank, or from anywhere. What does each
// further line cost?
#include <algorithm>

#include "mates.hpp"  // sm_80
#include "step/mismatch.hpp"

namespace {
constexpr int writers = 256;  // threads of a block

// [kernel]
/// Each thread of a block loads a line, all at the same time.
/// @param same lines of the block's set, if it has so many; else as many others
/// @param cycles takes of each block the cycles with each number of lines
__global__ void camp(const std::uint32_t* lines, const std::int64_t* sets, Candidates candidates, bool same,
                     std::int64_t* cycles) {
  const std::int64_t* const set = sets + blockIdx.x * numbers_of_set;
  const auto together = static_cast<int>(blockDim.x);
  if (set[0] < together) return;
  const std::int64_t line = same ? set[1 + threadIdx.x] : candidates.line(blockIdx.x, gridDim.x, threadIdx.x);
  const unsigned lanes = ~0U >> (model::warp_size - together);
  const unsigned least = least_past_l2(lines + line * words_of_line, true, lanes, pair_rounds);
  if (threadIdx.x == 0) cycles[std::int64_t{blockIdx.x} * most_mates + together - 1] = least;
}
// [kernel]

Owned<WrittenLines> make(std::int64_t lines, bool same, int conflict) {
  auto problem = make_owned<WrittenLines>(lines * model::line_bytes);
  const std::int64_t blocks = blocks_of_card();
  std::int64_t* const sets = problem->numbers(blocks * (numbers_of_set + most_mates));
  problem->launches([=, &all = *problem](cudaStream_t stream) {
    const auto grid = static_cast<unsigned>(blocks);
    const Candidates candidates(lines, conflict);
    find_mates<<<grid, 2, 0, stream>>>(all.data(), candidates, sets);
    for (unsigned together = 1; together <= most_mates; ++together) {
      camp<<<grid, together, 0, stream>>>(all.data(), sets, candidates, same, sets + blocks * numbers_of_set);
    }
    write_candidates<<<grid, writers, 0, stream>>>(all.data(), candidates);
  });
  return problem;
}

/// The median over blocks that have so many lines, for each number of lines.
Numbers medians(Problem& problem) {
  const Numbers numbers = written_numbers(problem);
  Numbers all;
  const std::int64_t blocks = ssize(numbers) / (numbers_of_set + most_mates);
  const auto times = numbers.begin() + blocks * numbers_of_set;
  for (std::int64_t together = 1; together <= most_mates; ++together) {
    Numbers cycles;
    for (std::int64_t block = 0; block < blocks; ++block) {
      if (numbers.begin()[block * numbers_of_set] < together) continue;
      cycles.push_back(times[block * most_mates + together - 1]);
    }
    std::ranges::sort(cycles);
    all.push_back(cycles.empty() ? 0 : cycles[cycles.size() / 2]);
  }
  return all;
}

/// What each of the last eight lines adds.
double cycles_of_line(Problem& problem) {
  const Numbers all = medians(problem);
  constexpr int added = most_mates / 2;
  return static_cast<double>(all[most_mates - 1] - all[most_mates - added - 1]) / added;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("same", {1, 0}).settings()) {
    const bool same = setting.number() != 0;
    const auto lines = [](const Shape& shape) { return shape[0] * 1024 / model::line_bytes; };
    Variant made("camping", setting);
    made.curve = true;
    made.checked = {{64}, {256}};
    made.measured = {{1 << 20}};
    made.l2 = L2::kept;
    made.rated_by = Rating::accesses;
    made.make = [=](const Shape& shape) { return make(lines(shape), same, conflict_cycles); };
    made.amounts = [=](const Shape& shape) { return Amounts{.accesses = lines(shape)}; };
    made.quantities = {{"cycles-of-line", "cycles", Origin::clock, cycles_of_line},
                       {"cycles-of-sixteen", "cycles", Origin::clock,
                        [](Problem& problem) { return static_cast<double>(medians(problem).back()); }}};
    made.series = {{"cycles", "cycles", {"lines"}, Origin::clock, [](Problem& problem) {
                      return Grid{{most_mates}, medians(problem)};
                    }}};
    add(std::move(made));
  }
}

TEST_SUITE("device") {
  TEST_CASE(
      "if all lines are taken for mates, a block loads one line, two, up to sixteen, and writes them again") {
    for (const bool same : {true, false}) {
      const Owned<WrittenLines> problem = make(1 << 13, same, -1'000'000);
      problem->fill(1);
      problem->poison(nullptr);
      problem->launch(nullptr);
      cuda_check(cudaDeviceSynchronize());
      CHECK_FALSE(problem->verify());
      const Numbers numbers = problem->written_numbers();
      const std::int64_t blocks = blocks_of_card();
      for (std::int64_t block = 0; block < blocks; ++block) {
        CHECK(numbers.begin()[block * numbers_of_set] == most_mates);
      }
      CHECK(std::all_of(numbers.begin() + blocks * numbers_of_set, numbers.end(),
                        [](auto cycles) { return cycles > 0; }));
    }
  }
}
