// Two lines are loaded by turns, past the L2, again and again: are both slow at the same times?
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <random>

#include "mates.hpp"  // sm_80
#include "model/rhythm.hpp"
#include "slow_loads.hpp"

namespace {
constexpr int writers = 256;  // threads of a block
constexpr std::int64_t bins = 20;
constexpr double close = 0.1;  // of the period: the slow loads of mates end up to so far from each other

// [kernel]
/// A block of one thread loads two lines by turns.
/// @param same the first two lines of the block's set, if it has two; else two others
/// @param loads of each line
/// @param stamps takes of each load when it was asked for, and how many cycles it took
__global__ void load_by_turns(const std::uint32_t* lines, const std::int64_t* sets, Candidates candidates,
                              bool same, std::int64_t loads, std::int64_t* stamps) {
  const std::int64_t* const set = sets + blockIdx.x * numbers_of_set;
  if (same && set[0] < 2) return;
  std::int64_t* const mine = stamps + std::int64_t{blockIdx.x} * 4 * loads;
  std::int64_t due = clock64();
#pragma unroll 1
  for (std::int64_t load = 0; load < 2 * loads; ++load) {
    const std::int64_t turn = load % 2;
    const std::int64_t line = same ? set[1 + turn] : candidates.line(blockIdx.x, gridDim.x, turn);
    due = stamped_load(lines + line * words_of_line, load, due, mine + 2 * load);
  }
}
// [kernel]

// [apart]
/// When the slow loads of a line ended, in cycles.
/// @param stamps of two lines by turns
std::vector<double> ends_of_slow(std::span<const std::int64_t> stamps, std::size_t turn) {
  std::vector<std::int64_t> took;
  for (std::size_t load = turn; 2 * load < stamps.size(); load += 2) took.push_back(stamps[2 * load + 1]);
  const std::int64_t slow = median(took) + slow_cycles;
  std::vector<double> ends;
  for (std::size_t load = turn; 2 * load < stamps.size(); load += 2) {
    const std::int64_t cycles = stamps[2 * load + 1];
    if (cycles >= slow) ends.push_back(static_cast<double>(stamps[2 * load] - stamps[0] + cycles));
  }
  return ends;
}

/// How much later in their common period the second line is slow than the first: -0.5 to 0.5 of it.
/// @return nothing, if the slow loads keep to no period, or the two lines not to each other
std::optional<double> apart(std::span<const std::int64_t> stamps) {
  const std::vector<double> first = ends_of_slow(stamps, 0);
  const auto rhythm = model::rhythm(first, pause);
  if (!rhythm) return std::nullopt;
  std::complex<double> sum;
  std::int64_t count = 0;
  for (const double end : ends_of_slow(stamps, 1)) {
    const auto after = std::ranges::upper_bound(first, end);
    if (after == first.begin()) continue;
    // From the slow load before: over many periods even a small error of the period would add up.
    sum += std::polar(1., 2 * std::numbers::pi * (end - after[-1]) / rhythm->period);
    ++count;
  }
  constexpr double least_strength = 0.3;
  if (count == 0 || std::abs(sum) < least_strength * static_cast<double>(count)) return std::nullopt;
  return std::arg(sum) / (2 * std::numbers::pi);
}
// [apart]

/// What a launch found.
struct Phases {
  std::int64_t pairs = 0, together = 0;
  Numbers histogram;
};

class TurnsProblem final : public WrittenLines {
 public:
  TurnsProblem(std::int64_t lines, std::int64_t loads, bool same)
      : WrittenLines(lines * model::line_bytes), loads_(loads), same_(same) {
    const unsigned blocks = blocks_of_card();
    std::int64_t* const sets = numbers(blocks * (numbers_of_set + 4 * loads));
    launches([=, this](cudaStream_t stream) {
      found_.reset();
      const Candidates candidates(lines);
      find_mates<<<blocks, 2, 0, stream>>>(data(), candidates, sets);
      load_by_turns<<<blocks, 1, 0, stream>>>(data(), sets, candidates, same, loads,
                                              sets + blocks * numbers_of_set);
      write_candidates<<<blocks, writers, 0, stream>>>(data(), candidates);
    });
  }

  /// Of the last launch.
  const Phases& found() {
    if (!found_) found_ = phases_of(written_numbers());
    return *found_;
  }

 private:
  [[nodiscard]] Phases phases_of(const Numbers& numbers) const {
    Phases found;
    found.histogram = Numbers(static_cast<std::size_t>(bins));
    const std::int64_t blocks = std::ssize(numbers) / (numbers_of_set + 4 * loads_);
    const std::span<const std::int64_t> all(numbers.begin(), numbers.end());
    for (std::int64_t block = 0; block < blocks; ++block) {
      if (same_ && all[static_cast<std::size_t>(block * numbers_of_set)] < 2) continue;
      const std::int64_t begin = blocks * numbers_of_set + block * 4 * loads_;
      const auto phase =
          apart(all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(4 * loads_)));
      if (!phase) continue;
      ++found.pairs;
      if (std::abs(*phase) <= close) ++found.together;
      const auto bin = static_cast<std::int64_t>((*phase + 0.5) * bins);
      ++found.histogram[static_cast<std::size_t>(std::clamp(bin, std::int64_t{0}, bins - 1))];
    }
    return found;
  }

  std::int64_t loads_;
  bool same_;
  std::optional<Phases> found_;
};

const Phases& found_by(Problem& problem) { return dynamic_cast<TurnsProblem&>(problem).found(); }
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("same", {1, 0}).settings()) {
    const bool same = setting.number() != 0;
    Variant made("refreshed-together", setting);
    made.curve = true;
    made.checked = {{64, 1}, {256, 4}};
    made.measured = {{1 << 20, 1 << 12}};
    made.l2 = L2::kept;
    made.rated_by = Rating::accesses;
    made.make = [=](const Shape& shape) {
      return make_owned<TurnsProblem>(shape[0] * 1024 / model::line_bytes, shape[1], same);
    };
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = 2 * shape[1]}; };
    made.quantities = {{"pairs", "1", Origin::clock,
                        [](Problem& problem) { return static_cast<double>(found_by(problem).pairs); }},
                       {"together", "1", Origin::clock,
                        [](Problem& problem) { return static_cast<double>(found_by(problem).together); }}};
    made.series = {{"apart", "1", {"twentieth"}, Origin::clock, [](Problem& problem) {
                      return Grid{{bins}, found_by(problem).histogram};
                    }}};
    add(std::move(made));
  }
}

TEST_CASE("of two lines that are planted with one period it is found how much later the second is slow") {
  for (const double later : {0., 0.2, -0.4}) {
    std::mt19937_64 random(1);
    std::vector<std::int64_t> stamps;
    std::int64_t now = 5000;
    for (int load = 0; load < 8192; ++load) {
      constexpr double period = 3888;
      const double shifted = static_cast<double>(now) - (load % 2 == 1 ? later * period : 0);
      const double since = shifted - std::floor(shifted / period) * period;
      stamps.push_back(now);
      stamps.push_back(600 + std::max(std::int64_t{0}, std::lround(500 - since)));
      now += 1400 + static_cast<std::int64_t>(random() % 1400);
    }
    CHECK(apart(stamps).value_or(9) == doctest::Approx(later).epsilon(0.02).scale(1));
  }
}

TEST_CASE("two lines that are slow at times of no pattern are not apart by anything") {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> stamps;
  std::int64_t now = 5000;
  for (int load = 0; load < 8192; ++load) {
    stamps.push_back(now);
    stamps.push_back(600 + (random() % 8 == 0 ? static_cast<std::int64_t>(random() % 500) : 0));
    now += 1400 + static_cast<std::int64_t>(random() % 1400);
  }
  CHECK_FALSE(apart(stamps));
}
