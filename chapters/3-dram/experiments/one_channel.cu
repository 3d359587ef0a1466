// Loads of one slice of the L2 are slow while many threads load one of its lines, and that finds its lines.
// Is a slice one channel of the memory? And how slow is a kernel that reads one channel alone, or one bank
// alone?
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "lines_of_slice.hpp"  // sm_80
#include "model/share_interval.hpp"
#include "read_lines.hpp"
#include "step/mismatch.hpp"
#include "unverified_memory.hpp"

namespace {
constexpr int writers = 256;  // threads of a block

constexpr unsigned blocks_of_multiprocessor = 32;  // that find lines
constexpr std::int64_t most_groups = 64;
constexpr std::int64_t most_candidates = 1 << 22;  // for a list of those of the first group
constexpr int threads_of_halves = 4 * model::warp_size;

constexpr std::int64_t most_forgotten = 512 * mebibyte / model::line_bytes;
constexpr std::int64_t most_anywhere = 1 << 22;
constexpr int reader_threads = 64;
constexpr unsigned readers_of_multiprocessor = 16;
constexpr std::int64_t hit_lines = 1024, hits_of_line = 256;
constexpr std::int64_t most_verified = 16 * mebibyte / model::line_bytes;

/// The time of a line, by what is read: its names as a quantity.
constexpr std::array<const char*, Layout::ways> ways{"line-anywhere",   "line-of-channel",   "line-of-bank",
                                                     "sector-anywhere", "sector-of-channel", "sector-of-bank",
                                                     "hit-of-channel"};

/// How many lines there are of each kind.
struct Sizes {
  Sizes(std::int64_t all, std::int64_t multiprocessors)
      : forgotten(std::min(most_forgotten, all / 16)),
        lines(all - forgotten),
        sorted(std::min(most_sorted, lines / 16)),
        candidates(std::min(most_candidates, lines)),
        anywhere(std::min(most_anywhere, lines)),
        readers(multiprocessors * readers_of_multiprocessor) {}

  std::int64_t forgotten;  ///< the last ones of the memory; they are read to make the L2 forget others
  std::int64_t lines;      ///< all others
  std::int64_t sorted, candidates, anywhere;
  std::int64_t readers;  ///< blocks that read
};

/// What a launch found.
struct Found {
  std::int64_t groups = 0, unsorted = 0, twice = 0;
  double candidates_of_slow = 0;
  std::int64_t pairs = 0, conflicts = 0, pairs_of_halves = 0, conflicts_of_halves = 0;
  model::ShareInterval share{};
  std::int64_t lines_of_bank = 0;
  std::array<double, Layout::ways> nanoseconds{};  ///< of a line
  Numbers histogram;
};

/// @param tried takes how many pairs there were
std::int64_t conflicts_in(const std::int64_t* extra, std::int64_t& tried) {
  tried = pairs_tried - std::count(extra, extra + pairs_tried, untried);
  return std::count_if(extra, extra + pairs_tried, [](auto cycles) { return cycles >= conflict_cycles; });
}

/// The median of the rounds' times, each from the begin of the first block to the end of the last.
/// @param stamps of the first round
double median_time(const std::int64_t* stamps, std::int64_t readers) {
  std::vector<std::int64_t> times;
  for (std::int64_t round = 0; round < rounds; ++round) {
    std::int64_t began = std::numeric_limits<std::int64_t>::max(), ended = 0;
    for (std::int64_t reader = 0; reader < readers; ++reader, stamps += 2) {
      began = std::min(began, stamps[0]);
      ended = std::max(ended, stamps[1]);
    }
    times.push_back(ended - began);
  }
  std::ranges::sort(times);
  return static_cast<double>(times[times.size() / 2]);
}

/// How many lines each way reads, hits as often as they are read.
std::array<std::int64_t, Layout::ways> lines_of_ways(std::int64_t anywhere, std::int64_t channel,
                                                     std::int64_t bank) {
  const std::int64_t hits = std::min(channel, hit_lines) * hits_of_line;
  return {anywhere, channel, bank, anywhere, channel, bank, hits};
}

/// @param numbers of the last launch
Found found_in(Numbers numbers, const Sizes& sizes) {
  const Layout layout{numbers.begin(), sizes.readers};
  Found found;
  found.groups = *layout.groups();
  found.twice = *layout.twice();
  found.unsorted = std::count(layout.group_of(), layout.group_of() + sizes.sorted, -1);
  found.candidates_of_slow =
      static_cast<double>(sizes.candidates) / static_cast<double>(*layout.slow().count);
  found.conflicts = conflicts_in(layout.extra(), found.pairs);
  found.conflicts_of_halves = conflicts_in(layout.extra() + pairs_tried, found.pairs_of_halves);
  if (found.pairs > 0) found.share = model::share_interval(found.conflicts, found.pairs);
  found.lines_of_bank = *layout.bank().count;
  const auto lines =
      lines_of_ways(sizes.anywhere, std::min(*layout.nearer().count, most_listed), found.lines_of_bank);
  for (std::size_t way = 0; way < ways.size(); ++way) {
    if (lines[way] == 0) continue;
    found.nanoseconds[way] = median_time(layout.stamps(static_cast<std::int64_t>(way), 0), sizes.readers) /
                             static_cast<double>(lines[way]);
  }
  for (std::int64_t bin = 0; bin < bins; ++bin) found.histogram.push_back(layout.histogram()[bin]);
  return found;
}

class ChannelProblem final : public UnverifiedLines {
 public:
  explicit ChannelProblem(std::int64_t lines, const Limits& limits = {})
      : UnverifiedLines(lines * model::line_bytes), sizes_(lines, blocks_of_card()) {
    verify_copy("lines", 0, std::min(sizes_.lines, most_verified));
    const Layout layout{numbers(Layout::size(sizes_.readers)), sizes_.readers};
    launches([=, this](cudaStream_t stream) {
      found_.reset();
      const Candidates candidates(sizes_.lines);
      const unsigned multiprocessors = blocks_of_card();
      begin<<<most_sorted / writers, writers, 0, stream>>>(layout, sizes_.sorted);
      const auto time = [&](std::int64_t count, bool sort) {
        time_loads<<<multiprocessors * blocks_of_multiprocessor, 1, 0, stream>>>(
            data(), candidates, count, sort, limits.slow, layout, layout.slow());
      };
      for (std::int64_t group = 0; group < most_groups; ++group) {
        next_target<<<1, 1, 0, stream>>>(layout, sizes_.sorted);
        time(sizes_.sorted, true);
      }
      next_target<<<1, 1, 0, stream>>>(layout, 0);
      time(sizes_.candidates, false);
      tell_halves<<<1, threads_of_halves, 0, stream>>>(data(), layout.slow(), layout.nearer(),
                                                       layout.farther(), limits.far);
      try_pairs<<<pair_blocks, 2, 0, stream>>>(data(), layout.nearer(), layout.nearer(), true,
                                               layout.extra());
      try_pairs<<<pair_blocks, 2, 0, stream>>>(data(), layout.nearer(), layout.farther(), false,
                                               layout.extra() + pairs_tried);
      collect<<<1, 2, 0, stream>>>(data(), layout.nearer(), layout.bank(), limits.conflict);
      write_candidates<<<multiprocessors, writers, 0, stream>>>(data(), candidates);
      for (std::int64_t round = 0; round < rounds; ++round) read(layout, candidates, round, stream);
      copy(stream);
    });
  }

  /// Of the last launch.
  const Found& found() {
    if (!found_) found_ = found_in(written_numbers(), sizes_);
    return *found_;
  }

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

 private:
  /// Reads in all ways; before each but the hits, the L2 forgets what it holds.
  void read(const Layout& layout, const Candidates& candidates, std::int64_t round,
            cudaStream_t stream) const {
    const OfList channel{layout.nearer(), most_listed}, hits{layout.nearer(), hit_lines},
        bank{layout.bank(), most_of_bank};
    const Anywhere anywhere{candidates, sizes_.anywhere};
    const auto blocks = static_cast<unsigned>(sizes_.readers);
    std::int64_t way = 0;
    const auto forget = [&] {
      read_lines<8><<<blocks, reader_threads, 0, stream>>>(data(), Neighbours{sizes_.lines, sizes_.forgotten},
                                                           1, nullptr, nullptr);
    };
    const auto next = [&](auto kernel, const auto& lines, std::int64_t times = 1) {
      kernel<<<blocks, reader_threads, 0, stream>>>(data(), lines, times, layout.stamps(way, round),
                                                    layout.sums() + way);
      ++way;
    };
    forget();
    next(read_lines<8, Anywhere>, anywhere);
    for (const OfList& lines : {channel, bank}) {
      forget();
      next(read_lines<8, OfList>, lines);
    }
    forget();
    next(read_lines<2, Anywhere>, anywhere);
    for (const OfList& lines : {channel, bank}) {
      forget();
      next(read_lines<2, OfList>, lines);
    }
    read_lines<8><<<blocks, reader_threads, 0, stream>>>(data(), hits, 1, nullptr, nullptr);
    next(read_lines<8, OfList>, hits, hits_of_line);
  }

  Sizes sizes_;
  std::optional<Found> found_;
};

const Found& found_by(Problem& problem) { return dynamic_cast<ChannelProblem&>(problem).found(); }

template <typename Read>
Quantity quantity(const char* name, const char* unit, const Read& read) {
  return {name, unit, Origin::clock,
          [=](Problem& problem) { return static_cast<double>(read(found_by(problem))); }};
}

double one_in(double share) { return share > 0 ? 1 / share : 0; }
}  // namespace

void weft::register_steps() {
  const auto lines = [](const Shape& shape) { return shape[0] * mebibyte / model::line_bytes; };
  Variant made("one-channel", Axes().settings().front());
  made.kind = Kind::experiment;
  made.curve = true;
  made.checked = {{1}};
  made.measured = {{1 << 13}};
  made.l2 = L2::kept;
  made.rated_by = Rating::accesses;
  made.make = [=](const Shape& shape) -> Owned<Problem> {
    try {
      return make_owned<ChannelProblem>(lines(shape));
    } catch (const OutOfDeviceMemory& error) {
      unavailable(error.what());
    }
  };
  made.amounts = [=](const Shape& shape) { return Amounts{.accesses = lines(shape)}; };
  made.quantities = {
      quantity("groups", "1", [](const Found& found) { return found.groups; }),
      quantity("unsorted", "1", [](const Found& found) { return found.unsorted; }),
      quantity("in-two-groups", "1", [](const Found& found) { return found.twice; }),
      quantity("candidates-of-slow", "1", [](const Found& found) { return found.candidates_of_slow; }),
      quantity("pairs", "1", [](const Found& found) { return found.pairs; }),
      quantity("pairs-of-conflict", "1",
               [](const Found& found) {
                 return one_in(static_cast<double>(found.conflicts) /
                               static_cast<double>(std::max<std::int64_t>(found.pairs, 1)));
               }),
      quantity("pairs-of-conflict-low", "1", [](const Found& found) { return one_in(found.share.high); }),
      quantity("pairs-of-conflict-high", "1", [](const Found& found) { return one_in(found.share.low); }),
      quantity("pairs-of-halves", "1", [](const Found& found) { return found.pairs_of_halves; }),
      quantity("conflicts-of-halves", "1", [](const Found& found) { return found.conflicts_of_halves; }),
      quantity("lines-of-bank", "1", [](const Found& found) { return found.lines_of_bank; })};
  for (std::size_t way = 0; way < ways.size(); ++way) {
    made.quantities.push_back(
        quantity(ways[way], "ns", [=](const Found& found) { return found.nanoseconds[way]; }));
  }
  made.series = {{"histogram", "1", {"sixteen-cycles"}, Origin::clock, [](Problem& problem) {
                    return Grid{{bins}, found_by(problem).histogram};
                  }}};
  add(std::move(made));
}

TEST_CASE("times are the medians of rounds, from the first begin to the last end") {
  std::vector<std::int64_t> stamps;
  for (const std::int64_t took : {90, 70, 500, 80, 60}) {
    for (std::int64_t reader = 0; reader < 3; ++reader) {
      stamps.push_back(1000 + 7 * reader);
      stamps.push_back(1000 + took - 5 * reader);
    }
  }
  CHECK(median_time(stamps.data(), 3) == 80);
}

TEST_CASE("what a launch found is taken from its numbers") {
  const Sizes sizes(1 << 13, 132);
  Numbers numbers(static_cast<std::size_t>(Layout::size(sizes.readers)));
  const Layout layout{numbers.begin(), sizes.readers};
  *layout.groups() = 47;
  *layout.twice() = 2;
  layout.group_of()[17] = -1;
  *layout.slow().count = 100;
  *layout.nearer().count = 60;
  *layout.bank().count = 3;
  for (std::int64_t pair = 0; pair < 2 * pairs_tried; ++pair) {
    layout.extra()[pair] = pair < pairs_tried ? (pair % 32 == 0 ? 70 : -10) : pair % 2 == 0 ? untried : 39;
  }
  layout.histogram()[20] = 5;
  for (std::int64_t way = 0; way < Layout::ways; ++way) {
    for (std::int64_t i = 0; i < rounds * sizes.readers; ++i) {
      layout.stamps(way, 0)[2 * i] = 5000;
      layout.stamps(way, 0)[2 * i + 1] = 5000 + 600 * (way + 1);
    }
  }
  const Found found = found_in(numbers, sizes);
  CHECK(found.groups == 47);
  CHECK(found.twice == 2);
  CHECK(found.unsorted == 1);
  CHECK(found.candidates_of_slow == doctest::Approx(76.8));
  CHECK(found.pairs == pairs_tried);
  CHECK(found.conflicts == pairs_tried / 32);
  CHECK(found.share.low < 1. / 32);
  CHECK(found.share.high > 1. / 32);
  CHECK(found.pairs_of_halves == pairs_tried / 2);
  CHECK(found.conflicts_of_halves == 0);
  CHECK(found.nanoseconds[0] == doctest::Approx(600. / 7680));
  CHECK(found.nanoseconds[1] == 20);
  CHECK(found.nanoseconds[5] == 1200);
  CHECK(found.nanoseconds[6] == doctest::Approx(4200. / 60 / 256));
  CHECK(found.histogram[20] == 5);
}

TEST_SUITE("device") {
  TEST_CASE(
      "if all lines are taken for those of one bank, they are listed, read as often as they shall be, and "
      "written") {
    constexpr std::int64_t lines = 1 << 13;
    ChannelProblem problem(lines, {.slow = 0, .far = no_time, .conflict = -1'000'000});
    problem.fill(1);
    problem.poison(nullptr);
    problem.launch(nullptr);
    cuda_check(cudaDeviceSynchronize());
    CHECK_FALSE(problem.verify());
    const Sizes& sizes = problem.sizes();
    Numbers numbers = problem.written_numbers();
    const Layout layout{numbers.begin(), sizes.readers};
    CHECK(*layout.groups() == 1);
    CHECK(*layout.twice() == 0);
    CHECK(*layout.slow().count == sizes.candidates);
    CHECK(*layout.nearer().count == sizes.candidates);
    CHECK(*layout.farther().count == 0);
    CHECK(*layout.bank().count == most_of_bank);
    std::vector<std::int64_t> listed(layout.nearer().lines, layout.nearer().lines + sizes.lines);
    std::ranges::sort(listed);
    CHECK(listed.front() == 0);
    CHECK(listed.back() == sizes.lines - 1);
    CHECK(std::ranges::adjacent_find(listed) == listed.end());
    const auto sum = [&](const Listed& list, std::int64_t count, std::int64_t words, std::int64_t times) {
      std::uint32_t all = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t word = 0; word < words; ++word) {
          all += static_cast<std::uint32_t>((list.lines[i] * words_of_line + word) * times);
        }
      }
      return all;
    };
    const std::array<std::uint32_t, Layout::ways> expected{
        sum(layout.nearer(), sizes.lines, 32, rounds),
        sum(layout.nearer(), sizes.lines, 32, rounds),
        sum(layout.bank(), most_of_bank, 32, rounds),
        sum(layout.nearer(), sizes.lines, 8, rounds),
        sum(layout.nearer(), sizes.lines, 8, rounds),
        sum(layout.bank(), most_of_bank, 8, rounds),
        sum(layout.nearer(), hit_lines, 32, rounds * hits_of_line)};
    for (std::size_t way = 0; way < expected.size(); ++way) {
      CHECK(static_cast<std::uint32_t>(layout.sums()[way]) == expected[way]);
    }
    const Found& found = problem.found();
    CHECK(found.groups == 1);
    CHECK(found.unsorted == 0);
    CHECK(found.pairs == std::min(pairs_tried, sizes.lines / 2));
    CHECK(found.pairs_of_halves == 0);
  }
}
