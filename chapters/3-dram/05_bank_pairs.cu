// Two lines are loaded at the same time, past the L2: how often does that take longer than the slower of them
// alone, and how much longer?
#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "model/parities.hpp"
#include "model/second_peak.hpp"
#include "model/share_interval.hpp"
#include "past_l2.hpp"  // sm_80

namespace {
constexpr int any = std::numeric_limits<int>::min();  // cycles
constexpr std::int64_t least_bin = -100, cycles_of_bin = 5, bins = 80;

// [pairs]
/// All lines of a memory in pairs. The two of a pair lie in one window of the memory.
class LinePairs {
 public:
  /// @param lines of the memory, and of a window; both powers of two
  LinePairs(std::int64_t lines, std::int64_t window)
      : order_(window),
        last_(window - 1),
        log_(std::bit_width(static_cast<std::uint64_t>(window)) - 1),
        lines_(lines) {}

  [[nodiscard]] __host__ __device__ std::int64_t count() const { return lines_ / 2; }

  /// In so many low bits the two lines of a pair may differ.
  [[nodiscard]] int bits() const { return log_; }

  /// A line of a pair, the first (0) or the second (1). In each window others meet.
  [[nodiscard]] __host__ __device__ std::int64_t line(std::int64_t pair, int which) const {
    const std::int64_t number = 2 * pair + which;
    const std::int64_t window = number >> log_;
    const std::int64_t odd = 2 * (window * 0x9E3779B1 & last_) + 1;
    return window << log_ | order_(number * odd & last_);
  }

 private:
  Permutation order_;
  std::int64_t last_;
  int log_;
  std::int64_t lines_;
};
// [pairs]

// [kernel]
/// A block has two threads, and each of them a line of the pair.
/// @param extra takes the cycles of both beyond the slower alone; each pair is tried two times
__global__ void time_pairs(std::uint32_t* lines, LinePairs pairs, std::int64_t* extra) {
  const int lane = threadIdx.x;
  for (std::int64_t pair = blockIdx.x; pair < pairs.count(); pair += gridDim.x) {
    const std::int64_t line = pairs.line(pair, lane);
    const std::uint32_t* const mine = lines + line * words_of_line;
    for (int time = 0; time < 2; ++time) {
      const int cycles = extra_past_l2(mine, lane, any);
      if (lane == 0) extra[2 * pair + time] = cycles;
    }
    write_line(lines, line);
  }
}
// [kernel]

/// What a launch found.
struct Conflicts {
  std::int64_t pairs = 0, count = 0, again = 0, median = 0;
  model::ShareInterval share{};
  Numbers histogram;    ///< of the first time
  Numbers differences;  ///< of the two addresses in a conflict, bit by bit
  double strongest_parity = 0;
};

// [found]
Conflicts conflicts_of(const Numbers& extra, const LinePairs& pairs) {
  Conflicts found;
  found.pairs = pairs.count();
  found.histogram = Numbers(static_cast<std::size_t>(bins));
  std::vector<std::int64_t> first_time;
  for (std::int64_t pair = 0; pair < found.pairs; ++pair) {
    first_time.push_back(extra[static_cast<std::size_t>(2 * pair)]);
    const std::int64_t bin =
        std::clamp((first_time.back() - least_bin) / cycles_of_bin, std::int64_t{0}, bins - 1);
    ++found.histogram[static_cast<std::size_t>(bin)];
  }
  const auto peak = model::second_peak(first_time, 20);
  if (!peak) return found;
  found.count = peak->count;
  found.median = peak->median;
  found.share = model::share_interval(peak->count, found.pairs);
  std::vector<std::uint64_t> differences;
  for (std::int64_t pair = 0; pair < found.pairs; ++pair) {
    if (first_time[static_cast<std::size_t>(pair)] < peak->threshold) continue;
    if (extra[static_cast<std::size_t>(2 * pair + 1)] >= peak->threshold) ++found.again;
    const std::int64_t difference = pairs.line(pair, 0) ^ pairs.line(pair, 1);
    differences.push_back(static_cast<std::uint64_t>(difference));
    found.differences.push_back(difference * model::line_bytes);
  }
  const auto parities = model::parities(differences, pairs.bits(), 0);
  if (!parities.empty()) found.strongest_parity = parities.front().bias;
  return found;
}
// [found]

class PairsProblem final : public WrittenLines {
 public:
  PairsProblem(std::int64_t lines, std::int64_t window)
      : WrittenLines(lines * model::line_bytes), pairs_(lines, window) {
    std::int64_t* const extra = numbers(2 * pairs_.count());
    launches([=, this](cudaStream_t stream) {
      found_.reset();
      time_pairs<<<blocks_of_card(), 2, 0, stream>>>(data(), pairs_, extra);
    });
  }

  /// Of the last launch.
  const Conflicts& found() {
    if (!found_) found_ = conflicts_of(written_numbers(), pairs_);
    return *found_;
  }

 private:
  LinePairs pairs_;
  std::optional<Conflicts> found_;
};

const Conflicts& found_by(Problem& problem) { return dynamic_cast<PairsProblem&>(problem).found(); }

template <typename Read>
Quantity quantity(const char* name, const char* unit, const Read& read) {
  return {name, unit, Origin::clock,
          [=](Problem& problem) { return static_cast<double>(read(found_by(problem))); }};
}

double one_in(double share) { return share > 0 ? 1 / share : 0; }

model::Prediction predict(std::int64_t pairs) {
  const auto of = [](int first, int last) {
    return [=](int lane) {
      return lane < first || lane > last ? model::Element() : model::Element(lane * words_of_line);
    };
  };
  return model::Prediction{}
      .global_load(2 * pairs * pair_rounds, 4, of(0, 0))
      .global_load(2 * pairs * pair_rounds, 4, of(1, 1))
      .global_load(2 * pairs * pair_rounds, 4, of(0, 1))
      .global_store(2 * pairs, 8, of(0, 0))
      .global_store(pairs * words_of_line / 4, 16, of(0, 1));
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("window", {256, 2}).settings()) {
    const std::int64_t window = setting.number() * mebibyte / model::line_bytes;
    const auto lines = [](const Shape& shape) { return shape[0] * 1024 / model::line_bytes; };
    Variant made("bank-pairs", setting);
    made.curve = true;
    made.checked = {{1}, {16}};
    made.measured = {{1 << 18}};
    made.counted = {{16}};
    made.l2 = L2::kept;
    made.rated_by = Rating::accesses;
    made.make = [=](const Shape& shape) {
      return make_owned<PairsProblem>(lines(shape), std::min(window, lines(shape)));
    };
    made.amounts = [=](const Shape& shape) {
      return Amounts{.accesses = lines(shape) / 2 * 2 * 4 * pair_rounds};
    };
    made.predict = [=](const Shape& shape) { return predict(lines(shape) / 2); };
    made.quantities = {
        quantity("conflicts", "1", [](const Conflicts& found) { return found.count; }),
        quantity("again", "1", [](const Conflicts& found) { return found.again; }),
        quantity("extra", "cycles", [](const Conflicts& found) { return found.median; }),
        quantity("pairs-of-conflict", "1",
                 [](const Conflicts& found) {
                   return found.count == 0
                              ? 0.
                              : static_cast<double>(found.pairs) / static_cast<double>(found.count);
                 }),
        quantity("pairs-of-conflict-low", "1",
                 [](const Conflicts& found) { return one_in(found.share.high); }),
        quantity("pairs-of-conflict-high", "1",
                 [](const Conflicts& found) { return one_in(found.share.low); }),
        quantity("strongest-parity", "1", [](const Conflicts& found) { return found.strongest_parity; })};
    made.series = {{"histogram",
                    "1",
                    {"five-cycles"},
                    Origin::clock,
                    [](Problem& problem) { return Grid{{bins}, found_by(problem).histogram}; }},
                   {"differences", "1", {"conflict"}, Origin::clock, [](Problem& problem) {
                      const auto& all = found_by(problem).differences;
                      return Grid{{std::ssize(all)}, all};
                    }}};
    add(std::move(made));
  }
}

TEST_CASE("every line is in one pair, and both of a pair lie in one window") {
  for (const std::int64_t window : {64, 1024}) {
    const LinePairs pairs(1024, window);
    std::vector<int> met(1024);
    for (std::int64_t pair = 0; pair < pairs.count(); ++pair) {
      CHECK(pairs.line(pair, 0) / window == pairs.line(pair, 1) / window);
      ++met[static_cast<std::size_t>(pairs.line(pair, 0))];
      ++met[static_cast<std::size_t>(pairs.line(pair, 1))];
    }
    CHECK(std::ranges::all_of(met, [](int times) { return times == 1; }));
  }
}

TEST_CASE("planted conflicts are found, as often as they come again") {
  const LinePairs pairs(1 << 15, 1 << 15);
  Numbers extra(static_cast<std::size_t>(2 * pairs.count()));
  for (std::size_t i = 0; i < extra.size(); ++i) extra[i] = static_cast<std::int64_t>(i % 17) - 12;
  for (std::size_t conflict = 0; conflict < 40; ++conflict) {
    extra[800 * conflict] = 80;
    if (conflict != 3) extra[800 * conflict + 1] = 85;
  }
  const Conflicts found = conflicts_of(extra, pairs);
  CHECK(found.count == 40);
  CHECK(found.again == 39);
  CHECK(found.median == 80);
  CHECK(found.differences.size() == 40);
  CHECK(found.share.low < 40. / (1 << 14));
}
