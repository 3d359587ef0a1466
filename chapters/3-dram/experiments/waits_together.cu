// Every multiprocessor loads a line again and again, past the L2, and a timer of the whole GPU says when each
// long wait ended: do all lines wait at the same time, or each at its own?
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "kernel/global_timer.hpp"
#include "mates.hpp"  // sm_80
#include "slow_loads.hpp"

namespace {
constexpr int writers = 256;             // threads of a block
constexpr std::int64_t most_shown = 16;  // long waits of each multiprocessor
constexpr std::int64_t parts = 3;        // of a stamp
/// A wait is long, if it is so many times as long as nine of ten slow loads wait at most. Waits for a refresh
/// are spread evenly up to its length, so this is 1.1 times the longest.
constexpr double factor = 1.2;

/// @param neighbours each block loads the line of its own number; else one from anywhere
/// @param stamps takes of each load when it was asked for, how many cycles it took, and the nanosecond in
/// which it had come
__global__ void load_and_place(const std::uint32_t* lines, Candidates candidates, bool neighbours,
                               std::int64_t loads, std::int64_t* stamps) {
  const std::int64_t block = blockIdx.x;
  const std::int64_t line = neighbours ? block : candidates.line(block, gridDim.x, 0);
  const std::int64_t first = block * loads;  // no two blocks pause alike
  std::int64_t* const mine = stamps + first * parts;
  std::int64_t due = clock64();
#pragma unroll 1
  for (std::int64_t load = 0; load < loads; ++load) {
    due = stamped_load(lines + line * words_of_line, first + load, due, mine + parts * load);
    mine[parts * load + 2] = global_nanosecond();
  }
}

/// What a launch found.
struct Found {
  std::int64_t count = 0;  ///< of all long waits
  double longest = 0;      ///< nanoseconds: of nine of ten slow loads at most, the median of all lines
  std::int64_t step = 0;   ///< of the timer, in nanoseconds: all its times are multiples of it apart
  Numbers shown;           ///< of each line's first long waits when they ended, and how long they were; or -1
};

/// When loads ended, in nanoseconds of the timer after `begin`. A multiprocessor's clock counts more finely
/// than the timer, and drifts: what it says is moved to where the timer stands on average around each load.
/// @param stamps of one line, at least two
std::vector<double> ends_of(std::span<const std::int64_t> stamps, std::int64_t begin, double cycles_of_ns) {
  constexpr std::int64_t around = 64;  // loads to either side
  std::vector<double> clocks;
  std::vector<double> sums{0};
  for (std::size_t i = 0; i < stamps.size(); i += parts) {
    clocks.push_back(static_cast<double>(stamps[i] + stamps[i + 1] - stamps[0]) / cycles_of_ns);
    sums.push_back(sums.back() + static_cast<double>(stamps[i + 2] - begin) - clocks.back());
  }
  const std::int64_t loads = std::ssize(clocks);
  for (std::int64_t load = 0; load < loads; ++load) {
    const auto low = static_cast<std::size_t>(std::max(load - around, std::int64_t{0}));
    const auto high = static_cast<std::size_t>(std::min(load + around + 1, loads));
    clocks[static_cast<std::size_t>(load)] += (sums[high] - sums[low]) / static_cast<double>(high - low);
  }
  return clocks;
}

/// @param numbers the stamps of all lines
Found found_in(std::span<const std::int64_t> numbers, std::int64_t loads) {
  Found found;
  const auto size = static_cast<std::size_t>(parts * loads);
  std::int64_t begin = numbers[2];
  for (std::size_t i = 0; i < numbers.size(); i += size) begin = std::min(begin, numbers[i + 2]);
  std::vector<double> longest;
  for (std::size_t first = 0; first < numbers.size(); first += size) {
    const auto mine = numbers.subspan(first, size);
    std::vector<std::int64_t> took;
    for (std::size_t i = 0; i < size; i += parts) {
      took.push_back(mine[i + 1]);
      if (i > 0) found.step = std::gcd(found.step, mine[i + 2] - mine[i - 1]);
    }
    const std::int64_t usual = median(took);
    std::vector<std::int64_t> waits;
    for (const std::int64_t cycles : took) {
      if (cycles >= usual + slow_cycles) waits.push_back(cycles - usual);
    }
    std::ranges::sort(waits);
    const auto ns = static_cast<double>(mine[size - 1] - mine[2]);
    const double cycles_of_ns = static_cast<double>(mine[size - parts] - mine[0]) / std::max(ns, 1.);
    std::int64_t shown = 0;
    if (!waits.empty() && ns > 0) {
      const auto nine_of_ten = static_cast<double>(waits[waits.size() * 9 / 10]);
      longest.push_back(nine_of_ten / cycles_of_ns);
      const std::vector<double> ends = ends_of(mine, begin, cycles_of_ns);
      for (std::size_t load = 0; load < took.size(); ++load) {
        const auto wait = static_cast<double>(took[load] - usual);
        if (wait < factor * nine_of_ten) continue;
        ++found.count;
        if (++shown > most_shown) continue;
        found.shown.push_back(std::lround(ends[load]));
        found.shown.push_back(std::lround(wait / cycles_of_ns));
      }
    }
    for (; shown < most_shown; ++shown) {
      found.shown.push_back(-1);
      found.shown.push_back(-1);
    }
  }
  std::ranges::sort(longest);
  if (!longest.empty()) found.longest = longest[longest.size() / 2];
  return found;
}

class PlacedProblem final : public WrittenLines {
 public:
  PlacedProblem(std::int64_t lines, std::int64_t loads, bool neighbours)
      : WrittenLines(lines * model::line_bytes), loads_(loads) {
    const unsigned blocks = blocks_of_card();
    std::int64_t* const stamps = numbers(blocks * loads * parts);
    launches([=, this](cudaStream_t stream) {
      found_.reset();
      const Candidates candidates(lines);
      load_and_place<<<blocks, 1, 0, stream>>>(data(), candidates, neighbours, loads, stamps);
      write_candidates<<<blocks, writers, 0, stream>>>(data(), candidates);
    });
  }

  /// Of the last launch.
  const Found& found() {
    if (!found_) {
      const Numbers numbers = written_numbers();
      found_ = found_in({numbers.begin(), numbers.size()}, loads_);
    }
    return *found_;
  }

 private:
  std::int64_t loads_;
  std::optional<Found> found_;
};

const Found& found_by(Problem& problem) { return dynamic_cast<PlacedProblem&>(problem).found(); }
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("neighbours", {0, 1}).settings()) {
    const bool neighbours = setting.number() != 0;
    Variant made("waits-together", setting);
    made.kind = Kind::experiment;
    made.curve = true;
    made.checked = {{64, 2}, {256, 5}};
    made.measured = {{1 << 20, 1 << 15}};
    made.l2 = L2::kept;
    made.rated_by = Rating::accesses;
    made.make = [=](const Shape& shape) {
      return make_owned<PlacedProblem>(shape[0] * 1024 / model::line_bytes, shape[1], neighbours);
    };
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[1]}; };
    made.quantities = {
        {"long-waits", "1", Origin::clock,
         [](Problem& problem) { return static_cast<double>(found_by(problem).count); }},
        {"longest", "ns", Origin::clock, [](Problem& problem) { return found_by(problem).longest; }},
        {"timer-step", "ns", Origin::clock,
         [](Problem& problem) { return static_cast<double>(found_by(problem).step); }}};
    made.series = {
        {"long-waits", "ns", {"multiprocessor", "wait", "number"}, Origin::clock, [](Problem& problem) {
           const auto& shown = found_by(problem).shown;
           return Grid{{std::ssize(shown) / 2 / most_shown, most_shown, 2}, shown};
         }}};
    add(std::move(made));
  }
}

TEST_CASE(
    "long waits that are planted at the same time in all lines are placed there, whatever their clocks") {
  constexpr std::int64_t loads = 1 << 13;
  constexpr double cycles_of_ns = 1.98, period = 1950, long_period = 100'150;
  for (const std::int64_t timer_step : {32, 1000}) {
    std::mt19937_64 random(1);
    std::vector<std::int64_t> stamps;
    for (std::int64_t line = 0; line < 3; ++line) {
      double now = 5000 + 300. * static_cast<double>(line);  // nanoseconds
      for (std::int64_t load = 0; load < loads; ++load) {
        const auto until = [&](double length, double every) {
          return std::max(0., length - (now - std::floor(now / every) * every));
        };
        const double wait = std::max(until(220, period), until(400, long_period));
        const double took = 300 + wait;
        stamps.push_back(std::llround((now + 12345. * static_cast<double>(line)) * cycles_of_ns));
        stamps.push_back(std::llround(took * cycles_of_ns));
        stamps.push_back(std::llround(now + took) / timer_step * timer_step);
        now += 700 + static_cast<double>(random() % 700);
      }
    }
    const Found found = found_in(stamps, loads);
    CHECK(found.step == timer_step);
    CHECK(found.count > 3 * 5);
    CHECK(found.longest == doctest::Approx(200).epsilon(0.1));
    REQUIRE(found.shown.size() == static_cast<std::size_t>(3 * most_shown * 2));
    const double begin = std::floor((5000. + 300) / static_cast<double>(timer_step)) *
                         static_cast<double>(timer_step);  // of the timer, about when the first load came
    std::int64_t checked = 0;
    for (std::size_t i = 0; i < found.shown.size(); i += 2) {
      if (found.shown[i] < 0) continue;
      ++checked;
      // A load comes 300 ns after the wait is over; the timer is half a step behind on average.
      const double end =
          static_cast<double>(found.shown[i]) + begin - 700 + static_cast<double>(timer_step) / 2;
      const double late = end - std::round(end / long_period) * long_period;
      CHECK(std::abs(late) < 1000 + static_cast<double>(timer_step));
      CHECK(found.shown[i + 1] >= 1.2 * 180);
    }
    CHECK(checked > 15);
    // Lines agree among themselves much more closely than their beginnings do.
    std::vector<double> phases;
    for (std::size_t i = 0; i < found.shown.size(); i += 2) {
      if (found.shown[i] < 0) continue;
      phases.push_back(std::fmod(static_cast<double>(found.shown[i]), long_period));
    }
    const auto [least, most] = std::ranges::minmax(phases);
    CHECK(most - least < (timer_step == 32 ? 20 : 250));
  }
}
