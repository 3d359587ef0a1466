// One line is loaded again and again, past the L2, and each load is stamped: when do slow ones come, and how
// long do they take?
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "kernel/global_timer.hpp"
#include "model/rhythm.hpp"
#include "slow_loads.hpp"  // sm_80

namespace {
constexpr std::int64_t cycles_of_bin = 25, bins = 100, most_shown = 1000;

// [kernel]
/// @param clocks takes the card's time in nanoseconds and the multiprocessor's in cycles, at begin and end
/// @param stamps takes of each load when it was asked for, and how many cycles it took
__global__ void load_again(std::uint32_t* lines, std::int64_t line, std::int64_t loads, std::int64_t* clocks,
                           std::int64_t* stamps) {
  const auto note = [=](int place) {
    clocks[place] = global_nanosecond();
    clocks[place + 1] = clock64();
  };
  note(0);
  std::int64_t due = clock64();
#pragma unroll 1
  for (std::int64_t load = 0; load < loads; ++load) {
    due = stamped_load(lines + line * words_of_line, load, due, stamps + 2 * load);
  }
  note(2);
  write_line(lines, line);
}
// [kernel]

/// What a launch found. Times are nanoseconds: of most loads, and by how much the middle one of the slow
/// loads takes longer, and nine of ten at most.
struct Slow {
  double usual = 0, longer = 0, longest = 0, share = 0, period = 0, spread = 0, strength = 0;
  Numbers histogram;  ///< of the cycles of a load
  Numbers shown;      ///< of the first slow loads, when and how long
};

// [found]
Slow slow_of(const Numbers& numbers) {
  Slow found;
  const double cycles_of_ns = static_cast<double>(numbers[3] - numbers[1]) /
                              static_cast<double>(std::max<std::int64_t>(numbers[2] - numbers[0], 1));
  std::vector<std::int64_t> begun, took;
  for (std::size_t load = 4; load < numbers.size(); load += 2) {
    begun.push_back(numbers[load]);
    took.push_back(numbers[load + 1]);
  }
  found.histogram = Numbers(static_cast<std::size_t>(bins));
  for (const std::int64_t cycles : took)
    ++found
          .histogram[static_cast<std::size_t>(std::clamp(cycles / cycles_of_bin, std::int64_t{0}, bins - 1))];
  std::vector<std::int64_t> sorted = took;
  std::ranges::sort(sorted);
  const std::int64_t usual = sorted[sorted.size() / 2];
  found.usual = static_cast<double>(usual) / cycles_of_ns;
  const std::span slow(std::ranges::lower_bound(sorted, usual + slow_cycles), sorted.end());
  if (slow.empty()) return found;
  const auto longer = [&](std::size_t tenths) {
    return static_cast<double>(slow[slow.size() * tenths / 10] - usual) / cycles_of_ns;
  };
  found.longer = longer(5);
  found.longest = longer(9);
  found.share = static_cast<double>(slow.size()) / static_cast<double>(took.size());
  std::vector<double> times;
  for (std::size_t load = 0; load < took.size(); ++load) {
    if (took[load] < usual + slow_cycles) continue;
    times.push_back(static_cast<double>(begun[load] - begun.front() + took[load]) /
                    cycles_of_ns);  // the end of what delayed it
    if (std::ssize(found.shown) < 2 * most_shown) {
      found.shown.push_back(std::lround(times.back()));
      found.shown.push_back(std::lround(static_cast<double>(took[load]) / cycles_of_ns));
    }
  }
  const double between_loads =
      static_cast<double>(begun.back() - begun.front()) / static_cast<double>(begun.size()) / cycles_of_ns;
  const auto rhythm = model::rhythm(times, between_loads);
  if (!rhythm) return found;
  found.period = rhythm->period;
  found.spread = rhythm->spread;
  found.strength = rhythm->strength;
  return found;
}
// [found]

class RefreshProblem final : public WrittenLines {
 public:
  RefreshProblem(std::int64_t line, std::int64_t loads) : WrittenLines(mebibyte, line, 1) {
    std::int64_t* const clocks = numbers(4 + 2 * loads);
    launches([=, this](cudaStream_t stream) {
      found_.reset();
      load_again<<<1, 1, 0, stream>>>(data(), line, loads, clocks, clocks + 4);
    });
  }

  /// Of the last launch.
  const Slow& found() {
    if (!found_) found_ = slow_of(written_numbers());
    return *found_;
  }

 private:
  std::optional<Slow> found_;
};
}  // namespace

void weft::register_steps() {
  const Numbers lines{0, 1, 2, 67, 1025, 5003};
  for (const Setting& setting : Axes().with("line", lines).settings()) {
    const std::int64_t line = setting.number();
    Variant made("refresh", setting);
    made.curve = true;
    made.checked = {{1}, {500}};
    made.measured = {{1 << 14}};
    made.counted = {{500}};
    made.rated_by = Rating::accesses;
    made.make = [=](const Shape& shape) { return make_owned<RefreshProblem>(line, shape[0]); };
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0]}; };
    made.predict = [](const Shape& shape) {
      const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
      return model::Prediction{}
          .global_load(shape[0], 4, one)
          .global_store(2 * shape[0] + 4, 8, one)
          .global_store(words_of_line / 4, 16, one);
    };
    const auto quantity = [](const char* name, const char* unit, double Slow::* part) {
      return Quantity{name, unit, Origin::clock,
                      [=](Problem& problem) { return dynamic_cast<RefreshProblem&>(problem).found().*part; }};
    };
    made.quantities = {quantity("usual", "ns", &Slow::usual),     quantity("longer", "ns", &Slow::longer),
                       quantity("longest", "ns", &Slow::longest), quantity("slow-share", "1", &Slow::share),
                       quantity("period", "ns", &Slow::period),   quantity("spread", "1", &Slow::spread),
                       quantity("strength", "1", &Slow::strength)};
    made.series = {{"histogram",
                    "1",
                    {"cycles"},
                    Origin::clock,
                    [](Problem& problem) {
                      return Grid{{bins}, dynamic_cast<RefreshProblem&>(problem).found().histogram};
                    }},
                   {"slow-loads", "ns", {"load", "number"}, Origin::clock, [](Problem& problem) {
                      const auto& shown = dynamic_cast<RefreshProblem&>(problem).found().shown;
                      return Grid{{std::ssize(shown) / 2, 2}, shown};
                    }}};
    add(std::move(made));
  }
}

TEST_CASE("planted refreshes are found, with their period and length, by loads that come slower") {
  Numbers numbers{0, 0, 0, 0};
  std::mt19937_64 random(1);
  std::int64_t now = 5000;
  for (int load = 0; load < 40000; ++load) {
    const std::int64_t since = now % 3863;  // cycles, of which 1.98 are a nanosecond
    const std::int64_t took =
        540 + std::max(450 - since, std::int64_t{0}) + static_cast<std::int64_t>(random() % 37);
    numbers.push_back(now);
    numbers.push_back(took);
    now += took + 480 + static_cast<std::int64_t>(random() % 800);
  }
  numbers[2] = 1'000'000;
  numbers[3] = 1'980'000;
  const Slow found = slow_of(numbers);
  CHECK(found.period == doctest::Approx(3863 / 1.98).epsilon(0.02).scale(0));
  CHECK(found.spread < 0.02);
  CHECK(found.usual == doctest::Approx(558 / 1.98).epsilon(0.02).scale(0));
  CHECK(found.longer == doctest::Approx((450. + 75) / 2 / 1.98).epsilon(0.05).scale(0));
  CHECK(found.longest == doctest::Approx((450 - 0.1 * (450 - 75)) / 1.98).epsilon(0.05).scale(0));
  CHECK(found.share == doctest::Approx((450. - 75) / 3863).epsilon(0.05).scale(0));
}
