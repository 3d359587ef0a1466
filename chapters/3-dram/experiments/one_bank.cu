// A block loads up to 1024 lines at the same time, past the L2: all of one bank, or from anywhere; alone, or
// while all other blocks do the same. How slow is the worst?
#include <algorithm>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "mates.hpp"  // sm_80
#include "step/mismatch.hpp"
#include "unverified_memory.hpp"

namespace {
constexpr int writers = 256;  // threads of a block
constexpr int most_together = 1024;
constexpr std::int64_t numbers_of_bank = 1 + most_together;
constexpr int candidates_for_first = 32, rounds = 8;
constexpr unsigned blocks_alone = 8;  // so many blocks load alone, one after the other
constexpr std::int64_t sizes = 6;     // 32, 64, … 1024 lines
constexpr std::int64_t ways = 4;      // one bank alone, anywhere alone, one bank each, anywhere all
constexpr std::int64_t most_verified = 16 * mebibyte / model::line_bytes;

/// Collects lines of one bank. As in find_mates(), but most lines need one load only, with which the bank's
/// first line is not slower than alone: so the first is one that is slow alone, as hardly any line is slower.
/// @param banks takes of each block how many lines it has, and the lines
__global__ void collect(const std::uint32_t* lines, Candidates candidates, std::int64_t* banks) {
  constexpr unsigned both = 3;
  const int lane = threadIdx.x;
  std::int64_t* const bank = banks + blockIdx.x * numbers_of_bank;
  const auto line_of = [&](std::int64_t candidate) {
    return candidates.line(blockIdx.x, gridDim.x, candidate);
  };
  const std::int64_t count = candidates.count(blockIdx.x, gridDim.x);
  std::int64_t first = line_of(0);
  unsigned alone = 0;
  for (std::int64_t candidate = 0; candidate < min(count, std::int64_t{candidates_for_first}); ++candidate) {
    const std::int64_t line = line_of(candidate);
    const unsigned cycles =
        least_past_l2(lines + line * words_of_line, lane == 0, both, pair_rounds);  // both lanes know it
    if (cycles <= alone || cycles == no_time) continue;
    alone = cycles;
    first = line;
  }
  const int enough = static_cast<int>(alone) + candidates.conflict;
  int found = 1;
  for (std::int64_t candidate = 0; candidate < count && found < most_together; ++candidate) {
    const std::int64_t line = line_of(candidate);
    if (line == first) continue;
    const std::uint32_t* const mine = lines + (lane == 0 ? first : line) * words_of_line;
    int times = 0;
    for (; times < rounds; ++times) {
      const auto cycles = static_cast<int>(cycles_past_l2(mine, true, both));
      if (cycles < enough) break;
    }
    if (times < rounds) continue;
    if (extra_past_l2(mine, lane, candidates.conflict) < candidates.conflict) continue;
    ++found;
    if (lane == 0) bank[found] = line;
  }
  if (lane == 0) {
    bank[0] = found;
    bank[1] = first;
  }
}

/// Each thread of a block loads a line, all at the same time.
/// @param block whose lines; if negative, each block's own
/// @param same lines of the block's bank, if it has so many; else as many others
/// @param cycles takes of each block the least cycles of some rounds
__global__ void load_together(const std::uint32_t* lines, const std::int64_t* banks, Candidates candidates,
                              std::int64_t block, std::int64_t blocks, bool same, std::int64_t* cycles) {
  if (block < 0) block = blockIdx.x;
  const std::int64_t* const bank = banks + block * numbers_of_bank;
  const auto together = static_cast<int>(blockDim.x);
  if (bank[0] < together) return;
  const std::int64_t number = same ? bank[1 + threadIdx.x] : candidates.line(block, blocks, threadIdx.x);
  const std::uint32_t* const line = lines + number * words_of_line;
  clock_t least = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    asm volatile("discard.global.L2 [%0], 128;" : : "l"(line) : "memory");
    __threadfence();
    __syncthreads();
    const clock_t began = clock();
    unsigned found = 0;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(found) : "l"(line) : "memory");
    found = found == no_time ? 1 : 0;
    const bool counts = __syncthreads_or(static_cast<int>(found)) == 0;  // all loads have come
    const clock_t took = static_cast<unsigned>(clock() - began);
    if (counts && (least == 0 || took < least)) least = took;
  }
  if (threadIdx.x == 0) cycles[block] = least;
}

/// What a launch found.
struct Found {
  Numbers lines;   ///< that each block has of its bank
  Numbers cycles;  ///< the median of blocks, for each number of lines, in each of the ways
};

/// @param numbers all banks, and then, for each number of lines and each way, the cycles of each block
Found found_in(const Numbers& numbers, std::int64_t blocks) {
  Found found;
  for (std::int64_t block = 0; block < blocks; ++block) {
    found.lines.push_back(numbers[static_cast<std::size_t>(block * numbers_of_bank)]);
  }
  for (std::int64_t size = 0; size < sizes; ++size) {
    for (std::int64_t way = 0; way < ways; ++way) {
      std::vector<std::int64_t> all;
      for (std::int64_t block = 0; block < (way < 2 ? std::min(blocks, std::int64_t{blocks_alone}) : blocks);
           ++block) {
        if (found.lines[static_cast<std::size_t>(block)] < 32 << size) continue;
        all.push_back(numbers[static_cast<std::size_t>(blocks * numbers_of_bank +
                                                       (size * ways + way) * blocks + block)]);
      }
      std::ranges::sort(all);
      found.cycles.push_back(all.empty() ? -1 : all[all.size() / 2]);
    }
  }
  return found;
}

class OneBankProblem final : public UnverifiedLines {
 public:
  explicit OneBankProblem(std::int64_t lines, int conflict = conflict_cycles)
      : UnverifiedLines(lines * model::line_bytes), blocks_(blocks_of_card()) {
    verify_copy("lines", 0, std::min(lines, most_verified));
    std::int64_t* const banks = numbers(blocks_ * (numbers_of_bank + sizes * ways));
    launches([=, this](cudaStream_t stream) {
      found_.reset();
      const Candidates candidates(lines, conflict);
      const auto grid = static_cast<unsigned>(blocks_);
      collect<<<grid, 2, 0, stream>>>(data(), candidates, banks);
      for (std::int64_t size = 0; size < sizes; ++size) {
        const unsigned together = 32U << size;
        for (const bool same : {true, false}) {
          std::int64_t* const cycles =
              banks + blocks_ * numbers_of_bank + (size * ways + (same ? 0 : 1)) * blocks_;
          for (unsigned block = 0; block < std::min(grid, blocks_alone); ++block) {
            load_together<<<1, together, 0, stream>>>(data(), banks, candidates, block, blocks_, same,
                                                      cycles);
          }
          load_together<<<grid, together, 0, stream>>>(data(), banks, candidates, -1, blocks_, same,
                                                       cycles + 2 * blocks_);
        }
      }
      write_candidates<<<grid, writers, 0, stream>>>(data(), candidates);
      copy(stream);
    });
  }

  /// Of the last launch.
  const Found& found() {
    if (!found_) found_ = found_in(written_numbers(), blocks_);
    return *found_;
  }

 private:
  std::int64_t blocks_;
  std::optional<Found> found_;
};

const Found& found_by(Problem& problem) { return dynamic_cast<OneBankProblem&>(problem).found(); }

/// How many times as long as lines from anywhere the lines of one bank take, most of them: 0 if no block has
/// so many lines.
double slower(const Found& found, std::int64_t way) {
  for (std::int64_t size = sizes; size-- > 0;) {
    const auto of = [&](std::int64_t one) {
      return static_cast<double>(found.cycles[static_cast<std::size_t>(size * ways + one)]);
    };
    if (of(way) > 0 && of(way + 1) > 0) return of(way) / of(way + 1);
  }
  return 0;
}
}  // namespace

void weft::register_steps() {
  const auto lines = [](const Shape& shape) { return shape[0] * mebibyte / model::line_bytes; };
  Variant made("one-bank", Axes().settings().front());
  made.kind = Kind::experiment;
  made.curve = true;
  made.checked = {{1}};
  made.measured = {{1 << 16}};
  made.l2 = L2::kept;
  made.rated_by = Rating::accesses;
  made.make = [=](const Shape& shape) -> Owned<Problem> {
    try {
      return make_owned<OneBankProblem>(lines(shape));
    } catch (const OutOfDeviceMemory& error) {
      unavailable(error.what());
    }
  };
  made.amounts = [=](const Shape& shape) { return Amounts{.accesses = lines(shape)}; };
  made.quantities = {
      {"slower-alone", "1", Origin::clock, [](Problem& problem) { return slower(found_by(problem), 0); }},
      {"slower-all", "1", Origin::clock, [](Problem& problem) { return slower(found_by(problem), 2); }}};
  made.series = {{"lines",
                  "1",
                  {"bank"},
                  Origin::clock,
                  [](Problem& problem) {
                    const auto& all = found_by(problem).lines;
                    return Grid{{std::ssize(all)}, all};
                  }},
                 {"cycles", "cycles", {"doubling", "way"}, Origin::clock, [](Problem& problem) {
                    return Grid{{sizes, ways}, found_by(problem).cycles};
                  }}};
  add(std::move(made));
}

TEST_CASE("the medians are those of blocks that have so many lines, and the ratio that of the most lines") {
  constexpr std::int64_t blocks = 10;
  Numbers numbers(static_cast<std::size_t>(blocks * (numbers_of_bank + sizes * ways)));
  for (std::int64_t block = 0; block < blocks; ++block) {
    numbers[static_cast<std::size_t>(block * numbers_of_bank)] = block < 7 ? 300 : 60;
    for (std::int64_t size = 0; size < sizes; ++size) {
      for (std::int64_t way = 0; way < ways; ++way) {
        const std::int64_t cycles = way % 2 == 0 ? 100 * (32 << size) : 1000 + (way == 3 ? 3000 : 0);
        numbers[static_cast<std::size_t>(blocks * numbers_of_bank + (size * ways + way) * blocks + block)] =
            cycles + block;
      }
    }
  }
  const Found found = found_in(numbers, blocks);
  CHECK(found.lines[6] == 300);
  CHECK(found.cycles[0] == 3200 + 4);  // of eight blocks
  CHECK(found.cycles[2] == 3200 + 5);  // of ten
  CHECK(found.cycles[3 * ways] == 25600 + 3);
  CHECK(found.cycles[4 * ways] == -1);
  CHECK(slower(found, 0) == doctest::Approx(25.6).epsilon(0.01));
  CHECK(slower(found, 2) == doctest::Approx(6.4).epsilon(0.01));
}

TEST_SUITE("device") {
  TEST_CASE(
      "if all lines are taken for those of one bank, a block collects its own, and loads all that it may") {
    constexpr std::int64_t lines = 1 << 13;
    OneBankProblem problem(lines, -1'000'000);
    problem.fill(1);
    problem.poison(nullptr);
    problem.launch(nullptr);
    cuda_check(cudaDeviceSynchronize());
    CHECK_FALSE(problem.verify());
    const Found& found = problem.found();
    const std::int64_t blocks = blocks_of_card();
    const std::int64_t own = Candidates(lines).count(0, blocks);
    REQUIRE(std::ssize(found.lines) == blocks);
    CHECK(found.lines[0] == std::min(own, std::int64_t{most_together}));
    for (std::int64_t size = 0; size < sizes; ++size) {
      for (std::int64_t way = 0; way < ways; ++way) {
        const std::int64_t cycles = found.cycles[static_cast<std::size_t>(size * ways + way)];
        CHECK((cycles > 0) == (own >= 32 << size));
      }
    }
  }
}
