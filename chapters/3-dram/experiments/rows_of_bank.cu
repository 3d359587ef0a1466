// Lines of one bank, near each other, are tried two by two: which of them are not in conflict, as lines of
// one row?
#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "mates.hpp"  // sm_80
#include "step/mismatch.hpp"

namespace {
constexpr int writers = 256;    // threads of a block
constexpr int most_lines = 40;  // of a bank that are tried
constexpr std::int64_t numbers_of_bank = 1 + most_lines;
constexpr int pairs_of_bank = most_lines * (most_lines - 1) / 2;
constexpr int tries = 3;  // for two lines that are not in conflict: a try fails if anything disturbs it

/// Where a block looks for lines of its line's bank.
struct Window {
  std::int64_t lines;  ///< a power of two; aligned

  /// The lines of a window, from a place on that no other block begins at: a line that two blocks try at the
  /// same time may be found in the L2.
  [[nodiscard]] __host__ __device__ std::int64_t line(std::int64_t first, std::int64_t block,
                                                      std::int64_t candidate) const {
    const std::int64_t last = lines - 1;
    return (first & ~last) | (candidate + block * 0x9E3779B1 & last);
  }
};

/// Whether two lines are in conflict `times` times in a row.
__device__ bool in_conflict(const std::uint32_t* lines, std::int64_t first, std::int64_t second, int lane,
                            int conflict, int times) {
  const std::uint32_t* const mine = lines + (lane == 0 ? first : second) * words_of_line;
  while (times > 0 && extra_past_l2(mine, lane, conflict) >= conflict) --times;
  return times == 0;
}

/// Looks for the lines of the bank in which a block's first candidate lies: those that are in conflict with
/// it, or with its first mate, if they lie in its row.
/// @param banks takes of each block how many lines it has, the first candidate and then the others
__global__ void find_bank(const std::uint32_t* lines, const std::int64_t* sets, Window window, int conflict,
                          std::int64_t* banks) {
  const int lane = threadIdx.x;
  const std::int64_t* const set = sets + blockIdx.x * numbers_of_set;
  std::int64_t* const bank = banks + blockIdx.x * numbers_of_bank;
  int found = 0;
  if (set[0] > 1) {
    found = 1;
    if (lane == 0) bank[1] = set[1];
    for (std::int64_t candidate = 0; candidate < window.lines && found < most_lines; ++candidate) {
      const std::int64_t line = window.line(set[1], blockIdx.x, candidate);
      if (line == set[1]) continue;
      if (!in_conflict(lines, set[1], line, lane, conflict, 2) &&
          (line == set[2] || !in_conflict(lines, set[2], line, lane, conflict, 2))) {
        continue;
      }
      ++found;
      if (lane == 0) bank[found] = line;
    }
  }
  if (lane == 0) bank[0] = found;
}

/// Tries the lines of a bank two by two.
/// @param results takes of each two whether they are in conflict
__global__ void try_lines(const std::uint32_t* lines, const std::int64_t* banks, int conflict,
                          std::int64_t* results) {
  const int lane = threadIdx.x;
  const std::int64_t* const bank = banks + blockIdx.x * numbers_of_bank;
  std::int64_t* mine = results + std::int64_t{blockIdx.x} * pairs_of_bank;
  for (int second = 2; second <= bank[0]; ++second) {
    for (int first = 1; first < second; ++first) {
      int left = tries;
      while (left > 0 && !in_conflict(lines, bank[first], bank[second], lane, conflict, 1)) --left;
      if (lane == 0) *mine++ = left > 0 ? 1 : 0;
    }
  }
}

/// What a launch found.
struct Rows {
  std::int64_t banks = 0, lines = 0, rows = 0;
  std::int64_t pairs = 0, alike = 0;  ///< pairs of lines of one bank, and those that are not in conflict
  std::int64_t disagreeing = 0;       ///< pairs that are in conflict in one row, or in two rows are not
  Numbers of_bank;                    ///< of each bank, its lines; -1: no more
  Numbers row;                        ///< of each line, the place of the first line that lies in its row
};

/// @param numbers all banks, and then of all banks whether their lines are in conflict two by two
Rows rows_in(const Numbers& numbers, std::int64_t blocks) {
  Rows found;
  for (std::int64_t block = 0; block < blocks; ++block) {
    const auto bank = numbers.begin() + block * numbers_of_bank;
    const auto tried = numbers.begin() + blocks * numbers_of_bank + block * pairs_of_bank;
    const std::int64_t count = bank[0];
    const auto conflict = [&](std::int64_t first, std::int64_t second) {
      return tried[second * (second - 1) / 2 + first] != 0;
    };
    Numbers row;
    for (std::int64_t line = 0; line < count; ++line) {
      std::int64_t first = 0;
      while (first < line && conflict(first, line)) ++first;
      row.push_back(first);
      if (first == line) ++found.rows;
      for (std::int64_t other = 0; other < line; ++other) {
        const bool in_one_row = row[static_cast<std::size_t>(other)] == first;
        if (!conflict(other, line)) ++found.alike;
        if (in_one_row == conflict(other, line)) ++found.disagreeing;
      }
    }
    if (count > 0) ++found.banks;
    found.lines += count;
    found.pairs += count * (count - 1) / 2;
    for (std::int64_t line = 0; line < most_lines; ++line) {
      found.of_bank.push_back(line < count ? bank[1 + line] : -1);
      found.row.push_back(line < count ? row[static_cast<std::size_t>(line)] : -1);
    }
  }
  return found;
}

class RowsProblem final : public WrittenLines {
 public:
  RowsProblem(std::int64_t lines, std::int64_t window, int conflict = conflict_cycles)
      : WrittenLines(lines * model::line_bytes), blocks_(blocks_of_card()) {
    std::int64_t* const banks = numbers(blocks_ * (numbers_of_bank + pairs_of_bank + numbers_of_set));
    launches([=, this](cudaStream_t stream) {
      found_.reset();
      const auto grid = static_cast<unsigned>(blocks_);
      std::int64_t* const results = banks + blocks_ * numbers_of_bank;
      std::int64_t* const sets = results + blocks_ * pairs_of_bank;
      const Candidates candidates(lines, conflict);
      find_mates<<<grid, 2, 0, stream>>>(data(), candidates, sets);
      find_bank<<<grid, 2, 0, stream>>>(data(), sets, Window{window}, conflict, banks);
      try_lines<<<grid, 2, 0, stream>>>(data(), banks, conflict, results);
      write_candidates<<<grid, writers, 0, stream>>>(data(), candidates);
    });
  }

  /// Of the last launch.
  const Rows& found() {
    if (!found_) found_ = rows_in(written_numbers(), blocks_);
    return *found_;
  }

 private:
  std::int64_t blocks_;
  std::optional<Rows> found_;
};

const Rows& found_by(Problem& problem) { return dynamic_cast<RowsProblem&>(problem).found(); }

Quantity quantity(const char* name, std::int64_t Rows::* part) {
  return {name, "1", Origin::clock,
          [=](Problem& problem) { return static_cast<double>(found_by(problem).*part); }};
}
}  // namespace

void weft::register_steps() {
  // A shape: the kibibytes of the memory, and of a window.
  const auto lines = [](std::int64_t kibibytes) { return kibibytes * 1024 / model::line_bytes; };
  Variant made("rows-of-bank", Axes().settings().front());
  made.kind = Kind::experiment;
  made.curve = true;
  made.checked = {{64, 4}, {256, 16}};
  made.measured = {{1 << 20, 1 << 13}};
  made.l2 = L2::kept;
  made.rated_by = Rating::accesses;
  made.make = [=](const Shape& shape) { return make_owned<RowsProblem>(lines(shape[0]), lines(shape[1])); };
  made.amounts = [=](const Shape& shape) { return Amounts{.accesses = lines(shape[0])}; };
  made.quantities = {quantity("banks", &Rows::banks),
                     quantity("lines", &Rows::lines),
                     quantity("rows", &Rows::rows),
                     quantity("pairs", &Rows::pairs),
                     quantity("not-in-conflict", &Rows::alike),
                     quantity("disagreeing", &Rows::disagreeing)};
  made.series = {{"lines",
                  "1",
                  {"bank", "line"},
                  Origin::clock,
                  [](Problem& problem) {
                    const auto& all = found_by(problem).of_bank;
                    return Grid{{std::ssize(all) / most_lines, most_lines}, all};
                  }},
                 {"rows", "1", {"bank", "line"}, Origin::clock, [](Problem& problem) {
                    const auto& all = found_by(problem).row;
                    return Grid{{std::ssize(all) / most_lines, most_lines}, all};
                  }}};
  add(std::move(made));
}

TEST_CASE("a block tries all lines of its line's window, and no other block begins there") {
  const Window window{64};
  std::vector<std::int64_t> begins;
  for (const std::int64_t block : {0, 1, 2, 5}) {
    std::vector<int> met(64);
    for (std::int64_t i = 0; i < window.lines; ++i) {
      ++met[static_cast<std::size_t>(window.line(130, block, i) - 128)];
    }
    CHECK(std::ranges::all_of(met, [](int times) { return times == 1; }));
    begins.push_back(window.line(130, block, 0));
  }
  std::ranges::sort(begins);
  CHECK(std::ranges::adjacent_find(begins) == begins.end());
}

TEST_CASE("planted rows are found, and what contradicts them is counted") {
  constexpr std::int64_t blocks = 3, count = 24;
  for (const bool broken : {false, true}) {
    Numbers banks, tried;
    for (std::int64_t block = 0; block < blocks; ++block) {
      banks.push_back(count);
      for (std::int64_t line = 0; line < most_lines; ++line)
        banks.push_back(line < count ? 100 * block + line : 7);
      std::vector<std::int64_t> mine(static_cast<std::size_t>(pairs_of_bank), 9);
      std::size_t pair = 0;
      for (std::int64_t second = 1; second < count; ++second) {
        for (std::int64_t first = 0; first < second; ++first) mine[pair++] = first % 3 == second % 3 ? 0 : 1;
      }
      if (broken && block == 1) mine[0] = 0;  // lines 0 and 1, of two rows
      for (const std::int64_t one : mine) tried.push_back(one);
    }
    Numbers numbers = banks;
    numbers.append(tried);
    const Rows found = rows_in(numbers, blocks);
    CHECK(found.banks == blocks);
    CHECK(found.lines == blocks * count);
    CHECK(found.pairs == blocks * count * (count - 1) / 2);
    CHECK(found.alike == blocks * 3 * (8 * 7 / 2) + (broken ? 1 : 0));
    REQUIRE(found.row.size() == static_cast<std::size_t>(blocks * most_lines));
    if (!broken) {
      CHECK(found.rows == 3 * blocks);
      CHECK(found.disagreeing == 0);
      CHECK(found.row[23] == 2);
      CHECK(found.row[24] == -1);
      CHECK(found.of_bank[40 + 5] == 105);
    } else {
      CHECK(found.disagreeing > 0);
    }
  }
}

TEST_SUITE("device") {
  TEST_CASE(
      "if all lines are taken for those of a bank, a window's are tried two by two, and written again") {
    constexpr std::int64_t lines = 1 << 13, window = 32;
    RowsProblem problem(lines, window, -1'000'000);
    problem.fill(1);
    problem.poison(nullptr);
    problem.launch(nullptr);
    cuda_check(cudaDeviceSynchronize());
    CHECK_FALSE(problem.verify());
    const Rows& found = problem.found();
    const std::int64_t blocks = blocks_of_card();
    CHECK(found.banks == blocks);
    CHECK(found.lines == blocks * window);
    CHECK(found.rows == found.lines);
    CHECK(found.alike == 0);
    const std::int64_t first = Candidates(lines).line(2, blocks, 0);
    constexpr std::size_t third = std::size_t{2} * most_lines;
    CHECK(found.of_bank[third] == first);
    for (std::int64_t line = 1; line < window; ++line) {
      CHECK(found.of_bank[third + static_cast<std::size_t>(line)] / window == first / window);
    }
  }
}
