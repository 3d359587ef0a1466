// Some lines are in conflict with one line: are they in conflict with each other, too, as lines of one bank
// must be?
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "mates.hpp"  // sm_80
#include "model/parities.hpp"
#include "step/mismatch.hpp"

namespace {
constexpr int writers = 256;  // threads of a block
constexpr int pairs_of_mates = most_mates * (most_mates - 1) / 2;

// [kernel]
/// A block of two threads tries the mates of its set two by two.
/// @param extra takes the extra cycles of each two
__global__ void try_mates(const std::uint32_t* lines, const std::int64_t* sets, int conflict,
                          std::int64_t* extra) {
  const int lane = threadIdx.x;
  const std::int64_t* const set = sets + blockIdx.x * numbers_of_set;
  std::int64_t* mine = extra + std::int64_t{blockIdx.x} * pairs_of_mates;
  for (int second = 3; second <= set[0]; ++second) {
    for (int first = 2; first < second; ++first) {
      const int cycles =
          extra_past_l2(lines + set[lane == 0 ? first : second] * words_of_line, lane, conflict);
      if (lane == 0) *mine++ = cycles;
    }
  }
}
// [kernel]

/// What a launch found.
struct Sets {
  std::int64_t mates = 0, pairs = 0, conflicts = 0;
  Numbers lines;     ///< of each block, the line and its mates; -1: no more
  Numbers parities;  ///< the strongest: mask of address bits, bias in thousandths
  double strongest_parity = 0;
};

/// @param numbers all sets, and then of all sets the extra cycles of their mates two by two
/// @param lines of the memory
Sets sets_of(const Numbers& numbers, std::int64_t lines) {
  Sets found;
  std::vector<std::uint64_t> differences;
  const std::int64_t blocks = std::ssize(numbers) / (numbers_of_set + pairs_of_mates);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const auto mine = numbers.begin() + block * numbers_of_set;
    const std::int64_t count = mine[0];
    found.mates += count - 1;
    const std::int64_t pairs = (count - 1) * (count - 2) / 2;
    found.pairs += pairs;
    const auto extra = numbers.begin() + blocks * numbers_of_set + block * pairs_of_mates;
    found.conflicts +=
        std::count_if(extra, extra + pairs, [](auto cycles) { return cycles >= conflict_cycles; });
    for (std::int64_t i = 0; i < most_mates; ++i) found.lines.push_back(i < count ? mine[1 + i] : -1);
    for (std::int64_t i = 1; i < count; ++i) {
      differences.push_back(static_cast<std::uint64_t>(mine[1] ^ mine[1 + i]));
    }
  }
  constexpr std::size_t most_parities = 16;
  const int bits = std::bit_width(static_cast<std::uint64_t>(lines - 1));
  for (const model::Parity& parity : model::parities(differences, bits, 0.2)) {
    if (found.parities.empty()) found.strongest_parity = parity.bias;
    if (found.parities.size() == 2 * most_parities) break;
    found.parities.push_back(static_cast<std::int64_t>(parity.mask) * model::line_bytes);
    found.parities.push_back(std::lround(1000 * parity.bias));
  }
  return found;
}

class MatesProblem final : public WrittenLines {
 public:
  explicit MatesProblem(std::int64_t lines, int conflict = conflict_cycles)
      : WrittenLines(lines * model::line_bytes), lines_(lines) {
    const unsigned blocks = blocks_of_card();
    std::int64_t* const sets = numbers(blocks * (numbers_of_set + pairs_of_mates));
    launches([=, this](cudaStream_t stream) {
      found_.reset();
      const Candidates candidates(lines_, conflict);
      find_mates<<<blocks, 2, 0, stream>>>(data(), candidates, sets);
      try_mates<<<blocks, 2, 0, stream>>>(data(), sets, conflict, sets + blocks * numbers_of_set);
      write_candidates<<<blocks, writers, 0, stream>>>(data(), candidates);
    });
  }

  /// Of the last launch.
  const Sets& found() {
    if (!found_) found_ = sets_of(written_numbers(), lines_);
    return *found_;
  }

 private:
  std::int64_t lines_;
  std::optional<Sets> found_;
};

const Sets& found_by(Problem& problem) { return dynamic_cast<MatesProblem&>(problem).found(); }
}  // namespace

void weft::register_steps() {
  const auto lines = [](const Shape& shape) { return shape[0] * 1024 / model::line_bytes; };
  Variant made("bank-mates", Axes().settings().front());
  made.curve = true;
  made.checked = {{64}, {256}};
  made.measured = {{1 << 20}};
  made.l2 = L2::kept;
  made.rated_by = Rating::accesses;
  made.make = [=](const Shape& shape) { return make_owned<MatesProblem>(lines(shape)); };
  made.amounts = [=](const Shape& shape) { return Amounts{.accesses = lines(shape)}; };
  made.quantities = {{"mates", "1", Origin::clock,
                      [](Problem& problem) { return static_cast<double>(found_by(problem).mates); }},
                     {"pairs-of-mates", "1", Origin::clock,
                      [](Problem& problem) { return static_cast<double>(found_by(problem).pairs); }},
                     {"conflicts-of-mates", "1", Origin::clock,
                      [](Problem& problem) { return static_cast<double>(found_by(problem).conflicts); }},
                     {"strongest-parity", "1", Origin::clock,
                      [](Problem& problem) { return found_by(problem).strongest_parity; }}};
  made.series = {{"lines",
                  "1",
                  {"set", "line"},
                  Origin::clock,
                  [](Problem& problem) {
                    const auto& all = found_by(problem).lines;
                    return Grid{{std::ssize(all) / most_mates, most_mates}, all};
                  }},
                 {"parities", "1", {"parity", "number"}, Origin::clock, [](Problem& problem) {
                    const auto& all = found_by(problem).parities;
                    return Grid{{std::ssize(all) / 2, 2}, all};
                  }}};
  add(std::move(made));
}

TEST_CASE("no line is tried by two blocks, and every line by one") {
  const Candidates candidates(1000);
  std::vector<int> met(1000);
  for (std::int64_t block = 0; block < 132; ++block) {
    for (std::int64_t i = 0; i < candidates.count(block, 132); ++i) {
      ++met[static_cast<std::size_t>(candidates.line(block, 132, i))];
    }
  }
  CHECK(std::ranges::all_of(met, [](int times) { return times == 1; }));
}

TEST_CASE("planted mates, which share two parities, are found") {
  const std::int64_t lines = 1 << 18;
  Numbers numbers;
  Numbers extra;
  std::int64_t line = 0;
  for (int block = 0; block < 132; ++block) {
    numbers.push_back(most_mates);
    for (int mate = 0; mate < most_mates; ++line) {
      const std::int64_t mixed = line * 40503 % lines;
      if (std::popcount(static_cast<unsigned>(mixed & 0x1234)) % 2 != 0) continue;
      if (std::popcount(static_cast<unsigned>(mixed & 0x20801)) % 2 != 0) continue;
      numbers.push_back(mixed);
      ++mate;
    }
    for (int pair = 0; pair < pairs_of_mates; ++pair) extra.push_back(pair % 21 == 0 ? 3 : 70);
  }
  numbers.append(extra);
  const Sets found = sets_of(numbers, lines);
  CHECK(found.mates == 132 * 15);
  CHECK(found.pairs == 132 * 105);
  CHECK(found.conflicts == 132 * 100);
  CHECK(found.strongest_parity == 1);
  CHECK(found.parities[1] == 1000);
  CHECK(found.parities[3] == 1000);
  CHECK((found.parities.size() == 4 || found.parities[5] < 1000));
}

TEST_SUITE("device") {
  TEST_CASE(
      "if all lines are taken for mates, a block tries fifteen of them two by two, and writes them again") {
    constexpr int any = -1'000'000;
    constexpr std::int64_t lines = 1 << 13;
    MatesProblem problem(lines, any);
    problem.fill(1);
    problem.poison(nullptr);
    problem.launch(nullptr);
    cuda_check(cudaDeviceSynchronize());
    CHECK_FALSE(problem.verify());
    const Numbers numbers = problem.written_numbers();
    const Candidates candidates(lines);
    const std::int64_t blocks = blocks_of_card();
    for (std::int64_t block = 0; block < blocks; ++block) {
      const auto mine = numbers.begin() + block * numbers_of_set;
      CHECK(mine[0] == most_mates);
      for (int mate = 0; mate < most_mates; ++mate)
        CHECK(mine[1 + mate] == candidates.line(block, blocks, mate));
    }
    CHECK(std::all_of(numbers.begin() + blocks * numbers_of_set, numbers.end(),
                      [](auto extra) { return extra > any; }));
  }
}
