// Up to 16 lines are loaded at the same time, past the L2: all of one bank, or from anywhere. What does each
// further line cost?
#include <algorithm>

#include "mates.hpp"

namespace {
// [kernel]
/// A block of a warp looks for lines of one bank, and then loads 1, 2, … of them, each by a lane of its own.
/// @param same lines of one bank; else as many others
/// @param cycles takes of each block how many lines it has, and the cycles with each number of lines
__global__ void camp(std::uint32_t* lines, Candidates candidates, bool same, std::int64_t* cycles) {
  __shared__ std::int64_t mates[most_mates];
  __shared__ int found;
  const int lane = threadIdx.x;
  std::int64_t* const mine = cycles + std::int64_t{blockIdx.x} * (1 + most_mates);
  if (lane < 2) {
    const int all = find_mates(lines, candidates, lane, mates);
    if (lane == 0) found = mine[0] = all;
  }
  __syncwarp();
  const std::int64_t line = same ? mates[min(lane, found - 1)] : candidates.line(blockIdx.x, gridDim.x, lane);
  for (int together = 1; together <= found; ++together) {
    __syncwarp();
    if (lane >= together) continue;
    const unsigned lanes = ~0U >> (model::warp_size - together);
    const unsigned least = least_past_l2(lines + line * words_of_line, true, lanes, pair_rounds);
    if (lane == 0) mine[together] = least;
  }
  __syncwarp();
  write_candidates(lines, candidates);
}
// [kernel]

constexpr std::int64_t numbers_of_block = 1 + most_mates;

Owned<WrittenLines> make(std::int64_t lines, bool same, int conflict) {
  auto problem = make_owned<WrittenLines>(lines * model::line_bytes);
  auto* const cycles = problem->numbers(blocks_of_card() * numbers_of_block);
  problem->launches([=, &all = *problem](cudaStream_t stream) {
    camp<<<blocks_of_card(), model::warp_size, 0, stream>>>(all.data(), Candidates(lines, conflict), same,
                                                            cycles);
  });
  return problem;
}

/// The median over blocks that have so many lines, for each number of lines.
Numbers medians(Problem& problem) {
  const Numbers numbers = written_numbers(problem);
  Numbers all;
  for (std::int64_t together = 1; together <= most_mates; ++together) {
    Numbers cycles;
    for (auto mine = numbers.begin(); mine != numbers.end(); mine += numbers_of_block) {
      if (mine[0] >= together) cycles.push_back(mine[together]);
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
      for (auto mine = numbers.begin(); mine != numbers.end(); mine += numbers_of_block) {
        CHECK(mine[0] == most_mates);
        CHECK(std::all_of(mine + 1, mine + numbers_of_block, [](auto cycles) { return cycles > 0; }));
      }
    }
  }
}
