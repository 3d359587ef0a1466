// The pairs of bank-pairs, but the second line of each lies tens of gibibytes behind the first: are lines so
// far apart in conflict as often as lines of one window?
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "model/share_interval.hpp"
#include "unverified_memory.hpp"  // sm_80

namespace {
constexpr int any = std::numeric_limits<int>::min();  // cycles
constexpr std::int64_t least_bin = -100, cycles_of_bin = 5, bins = 80;

/// All lines of a window, each with one of a second window.
class FarPairs {
 public:
  /// @param lines of a window, a power of two
  /// @param apart lines from one window's begin to the other's
  FarPairs(std::int64_t lines, std::int64_t apart) : order_(lines), last_(lines - 1), apart_(apart) {}

  [[nodiscard]] __host__ __device__ std::int64_t count() const { return last_ + 1; }

  /// A line of a pair, the first (0) or the second (1).
  [[nodiscard]] __host__ __device__ std::int64_t line(std::int64_t pair, int which) const {
    return which == 0 ? order_(pair) : apart_ + order_(pair * 0x9E3779B1 + 1 & last_);
  }

 private:
  Permutation order_;
  std::int64_t last_, apart_;
};

/// A block has two threads, and each of them a line of the pair.
/// @param extra takes the cycles of both beyond the slower alone; each pair is tried two times
__global__ void time_far_pairs(std::uint32_t* lines, FarPairs pairs, std::int64_t* extra) {
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

/// What a launch found.
struct Conflicts {
  std::int64_t pairs = 0, count = 0, again = 0, median = 0;
  model::ShareInterval share{};
  Numbers histogram;  ///< of the first time
  Numbers lines;      ///< of each pair in conflict, both
};

Conflicts conflicts_of(const Numbers& extra, const FarPairs& pairs) {
  Conflicts found;
  found.pairs = pairs.count();
  found.histogram = Numbers(static_cast<std::size_t>(bins));
  std::vector<std::int64_t> beyond;
  for (std::int64_t pair = 0; pair < found.pairs; ++pair) {
    const std::int64_t cycles = extra[static_cast<std::size_t>(2 * pair)];
    const std::int64_t bin = std::clamp((cycles - least_bin) / cycles_of_bin, std::int64_t{0}, bins - 1);
    ++found.histogram[static_cast<std::size_t>(bin)];
    if (cycles < conflict_cycles) continue;  // a fixed limit: there may be no second peak
    beyond.push_back(cycles);
    if (extra[static_cast<std::size_t>(2 * pair + 1)] >= conflict_cycles) ++found.again;
    found.lines.push_back(pairs.line(pair, 0));
    found.lines.push_back(pairs.line(pair, 1));
  }
  found.count = std::ssize(beyond);
  found.share = model::share_interval(found.count, found.pairs);
  if (beyond.empty()) return found;
  std::ranges::sort(beyond);
  found.median = beyond[beyond.size() / 2];
  return found;
}

class FarPairsProblem final : public UnverifiedLines {
 public:
  FarPairsProblem(std::int64_t lines, std::int64_t apart)
      : UnverifiedLines((apart + lines) * model::line_bytes), pairs_(lines, apart) {
    verify_copy("near lines", 0, lines);
    verify_copy("far lines", apart, lines);
    std::int64_t* const extra = numbers(2 * pairs_.count());
    launches([=, this](cudaStream_t stream) {
      found_.reset();
      time_far_pairs<<<blocks_of_card(), 2, 0, stream>>>(data(), pairs_, extra);
      copy(stream);
    });
  }

  /// Of the last launch.
  const Conflicts& found() {
    if (!found_) found_ = conflicts_of(written_numbers(), pairs_);
    return *found_;
  }

 private:
  FarPairs pairs_;
  std::optional<Conflicts> found_;
};

const Conflicts& found_by(Problem& problem) { return dynamic_cast<FarPairsProblem&>(problem).found(); }

template <typename Read>
Quantity quantity(const char* name, const char* unit, const Read& read) {
  return {name, unit, Origin::clock,
          [=](Problem& problem) { return static_cast<double>(read(found_by(problem))); }};
}

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
  // A shape: the kibibytes of both windows, and the mebibytes from one's begin to the other's.
  const auto lines = [](const Shape& shape) { return shape[0] * 1024 / model::line_bytes / 2; };
  Variant made("far-pairs", Axes().settings().front());
  made.kind = Kind::experiment;
  made.curve = true;
  made.checked = {{1, 1}, {16, 3}};
  for (const std::int64_t gib : {64, 48, 32, 16, 1}) made.measured.push_back({1 << 17, gib * 1024});
  made.counted = {{16, 1}};
  made.l2 = L2::kept;
  made.rated_by = Rating::accesses;
  made.make = [=](const Shape& shape) -> Owned<Problem> {
    try {
      return make_owned<FarPairsProblem>(lines(shape), shape[1] * mebibyte / model::line_bytes);
    } catch (const OutOfDeviceMemory& error) {
      unavailable(error.what());
    }
  };
  made.amounts = [=](const Shape& shape) { return Amounts{.accesses = lines(shape) * 2 * 4 * pair_rounds}; };
  made.predict = [=](const Shape& shape) { return predict(lines(shape)); };
  made.quantities = {quantity("conflicts", "1", [](const Conflicts& found) { return found.count; }),
                     quantity("again", "1", [](const Conflicts& found) { return found.again; }),
                     quantity("extra", "cycles", [](const Conflicts& found) { return found.median; }),
                     quantity("share-low", "1", [](const Conflicts& found) { return found.share.low; }),
                     quantity("share-high", "1", [](const Conflicts& found) { return found.share.high; })};
  made.series = {{"histogram",
                  "1",
                  {"five-cycles"},
                  Origin::clock,
                  [](Problem& problem) { return Grid{{bins}, found_by(problem).histogram}; }},
                 {"lines", "1", {"conflict", "line"}, Origin::clock, [](Problem& problem) {
                    const auto& all = found_by(problem).lines;
                    return Grid{{std::ssize(all) / 2, 2}, all};
                  }}};
  add(std::move(made));
}

TEST_CASE("every line of both windows is in one pair, and no pair lies in one window") {
  const FarPairs pairs(1024, 5000);
  std::vector<int> met(1024);
  std::vector<int> met_far(1024);
  for (std::int64_t pair = 0; pair < pairs.count(); ++pair) {
    ++met[static_cast<std::size_t>(pairs.line(pair, 0))];
    ++met_far[static_cast<std::size_t>(pairs.line(pair, 1) - 5000)];
  }
  CHECK(std::ranges::all_of(met, [](int times) { return times == 1; }));
  CHECK(std::ranges::all_of(met_far, [](int times) { return times == 1; }));
}

TEST_CASE(
    "planted conflicts of far lines are found, as often as they come again, and none if there are none") {
  const FarPairs pairs(1 << 14, 1 << 20);
  Numbers extra(static_cast<std::size_t>(2 * pairs.count()));
  for (std::size_t i = 0; i < extra.size(); ++i) extra[i] = static_cast<std::int64_t>(i % 17) - 12;
  CHECK(conflicts_of(extra, pairs).count == 0);
  for (std::size_t conflict = 0; conflict < 40; ++conflict) {
    extra[800 * conflict] = 80;
    if (conflict != 3) extra[800 * conflict + 1] = 85;
  }
  const Conflicts found = conflicts_of(extra, pairs);
  CHECK(found.count == 40);
  CHECK(found.again == 39);
  CHECK(found.median == 80);
  REQUIRE(found.lines.size() == 80);
  CHECK(found.lines[2] == pairs.line(400, 0));
  CHECK(found.lines[3] == pairs.line(400, 1));
}
