// How far is every slice of the L2 from every multiprocessor? Lines of one slice are found by waits: loads of
// them are slow while many threads load one of them. Then the multiprocessors visit all lines, one after the
// other, so that nobody is in their way.
#include <optional>
#include <vector>

#include "slice_map.hpp"
#include "step/mismatch.hpp"
#include "visits.hpp"

namespace {
constexpr std::int64_t bytes_apart = model::line_bytes;

constexpr unsigned loading_blocks = 32;  // of one thread each, on each multiprocessor
constexpr unsigned timing_blocks = 64;   // the first ones time other lines
constexpr std::int64_t lines_of_ticket = 8, loads_of_turn = 64, most_turns = 1 << 12;
constexpr std::int64_t cycles_until_busy = 30'000;
constexpr int timed_loads = 3;
/// From so many cycles on a load waits: nearly all others take less than 350, and those beside a busy line of
/// their slice about 1000 or more.
constexpr unsigned slow = 700;

constexpr int chains = 2;
constexpr unsigned nanoseconds_of_sleep = 10'000;

/// Where the numbers of a launch lie that are not those of multiprocessors.
struct Found {
  std::int64_t* numbers;
  std::int64_t lines;

  [[nodiscard]] __host__ __device__ std::int64_t* first_of_group() const { return numbers; }
  [[nodiscard]] __host__ __device__ std::int64_t* tickets() const { return numbers + lines; }
  [[nodiscard]] __host__ __device__ std::int64_t* arrived() const { return numbers + 2 * lines; }
  [[nodiscard]] __host__ __device__ std::int64_t* left() const { return numbers + 2 * lines + 1; }
  [[nodiscard]] __host__ __device__ std::int64_t* twice() const { return numbers + 2 * lines + 2; }
  __host__ __device__ static std::int64_t size(std::int64_t lines) { return 2 * lines + 3; }
};

__device__ std::int64_t add(std::int64_t* number, std::int64_t more) {
  return static_cast<std::int64_t>(
      atomicAdd(reinterpret_cast<unsigned long long*>(number), static_cast<unsigned long long>(more)));
}

__global__ void begin(Found found) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (thread >= Found::size(found.lines)) return;
  found.numbers[thread] = thread < found.lines ? thread : 0;
}

/// The first blocks time loads, and all others load the target all the while. A line that waits is of the
/// target's group. Nothing is done if the target has a group already.
__global__ void wait_beside(const Link* first, std::int64_t apart, std::int64_t target, Found found) {
  if (found.first_of_group()[target] != target) return;
  std::int64_t* const ticket = found.tickets() + target;
  if (blockIdx.x < timing_blocks) {
    const std::int64_t began = clock64();
    while (clock64() - began < cycles_until_busy) continue;
    for (;;) {
      const std::int64_t begin = add(ticket, lines_of_ticket);
      if (begin >= found.lines) return;
      for (std::int64_t line = begin; line < min(begin + lines_of_ticket, found.lines); ++line) {
        auto at = reinterpret_cast<unsigned long long>(first + line * apart);
        if (timed<Visit::load>(at) == 0) return;  // from now on the half that is near has the line
        unsigned least = ~0U;
#pragma unroll 1
        for (int load = 0; load < timed_loads; ++load) least = min(least, timed<Visit::load>(at));
        if (least < slow || line == target) continue;
        const auto before = atomicMin(reinterpret_cast<long long*>(found.first_of_group() + line), target);
        if (before < target) add(found.twice(), 1);
      }
    }
  }
  auto at = reinterpret_cast<unsigned long long>(first + target * apart);
  const volatile std::int64_t* const asked = ticket;
  // The last ticket of a timing block is one that it finds no line for.
  const std::int64_t last = found.lines + timing_blocks * lines_of_ticket;
  for (std::int64_t turn = 0; turn < most_turns && *asked < last; ++turn) {
#pragma unroll 1
    for (std::int64_t load = 0; load < loads_of_turn; ++load) {
      if (timed<Visit::load>(at) == 0) return;
    }
  }
}

// [chain]
/// The cycles of a chain of visits to a link that leads to itself, with those of reading the clock.
template <Visit how>
__device__ unsigned timed_chain(unsigned long long& at) {
  if (at == 0) return 0;  // no link is 0: so the clock is not read before the address has come
  const clock_t before = clock();
#pragma unroll
  for (int visit = 0; visit < visits_of_chain; ++visit) {
    if constexpr (how == Visit::atomic) {
      asm volatile("atom.global.or.b64 %0, [%0], 0;" : "+l"(at) : : "memory");
    } else {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
      at = __ldcg(reinterpret_cast<const unsigned long long*>(at));
    }
  }
  if (at == 0) return 0;  // nor is it read again before the last link has come
  return static_cast<unsigned>(clock() - before);
}
// [chain]

/// Blocks take turns. Of the chains of visits to a line the shortest counts.
/// @param numbers takes the multiprocessor of each block, and then of each block the cycles of all lines by
/// loads, and by atomics
__global__ void visit(const Link* first, std::int64_t /*apart*/, Found found, Link* ends,
                      std::int64_t* numbers) {
  const std::int64_t turn = add(found.arrived(), 1);
  const volatile std::int64_t* const left = found.left();
  while (*left < turn) __nanosleep(nanoseconds_of_sleep);
  // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
  std::int64_t* const cycles = numbers + gridDim.x + 2 * blockIdx.x * found.lines;
  auto at = reinterpret_cast<unsigned long long>(first);
  for (std::int64_t line = 0; line < found.lines; ++line) {
    const auto next = next_line(at);  // from now on the half that is near has the line
    unsigned by_loads = ~0U;
    unsigned by_atomics = ~0U;
#pragma unroll 1
    for (int chain = 0; chain < chains; ++chain) by_loads = min(by_loads, timed_chain<Visit::load>(at));
#pragma unroll 1
    for (int chain = 0; chain < chains; ++chain) by_atomics = min(by_atomics, timed_chain<Visit::atomic>(at));
    cycles[line] = by_loads;
    cycles[found.lines + line] = by_atomics;
    at = next;
  }
  ends[blockIdx.x].next = at;
  numbers[blockIdx.x] = multiprocessor();
  add(found.left(), 1);
}

class SlicesProblem : public Lines {
 public:
  explicit SlicesProblem(std::int64_t lines)
      : Lines(lines, bytes_apart),
        lines_(lines),
        blocks_(multiprocessors()),
        ends_(ends(blocks_, [](auto) { return 0; })),
        numbers_(numbers(of_blocks() + Found::size(lines))) {
    launches([this](cudaStream_t stream) {
      map_.reset();
      const Found found{numbers_ + of_blocks(), lines_};
      const auto grid = static_cast<unsigned>(blocks_);
      constexpr int threads = 256;
      begin<<<static_cast<unsigned>(Found::size(lines_) / threads + 1), threads, 0, stream>>>(found);
      for (std::int64_t target = 0; target < lines_; ++target) {
        wait_beside<<<loading_blocks * grid, 1, 0, stream>>>(first(), apart(), target, found);
      }
      visit<<<grid, 1, 0, stream>>>(first(), apart(), found, ends_.data(), numbers_);
    });
  }

  [[nodiscard]] Visited visited() const {
    const Numbers all = written_numbers();
    const std::int64_t* const behind = all.begin() + of_blocks();
    const Found found{const_cast<std::int64_t*>(behind), lines_};
    Numbers of_groups;
    for (std::int64_t line = 0; line < lines_; ++line) of_groups.push_back(found.first_of_group()[line]);
    Numbers rows;
    for (const std::int64_t* number = all.begin(); number != behind; ++number) rows.push_back(*number);
    return {blocks_, lines_, by_multiprocessor(rows), std::move(of_groups)};
  }

  /// What the last launch found.
  const SliceMap& map() {
    if (!map_) map_.emplace(visited());
    return *map_;
  }

  [[nodiscard]] std::int64_t in_two_groups() const {
    Numbers all = written_numbers();
    return *Found{all.begin() + of_blocks(), lines_}.twice();
  }

 private:
  [[nodiscard]] std::int64_t of_blocks() const { return blocks_ * (1 + 2 * lines_); }

  std::int64_t lines_, blocks_;
  GuardedBuffer<Link>& ends_;
  std::int64_t* numbers_;
  std::optional<SliceMap> map_;
};

const SliceMap& map_of(Problem& problem) { return dynamic_cast<SlicesProblem&>(problem).map(); }

/// The latencies of the map, to the cycle.
Grid latencies(Problem& problem) {
  const SliceMap& map = map_of(problem);
  Grid grid{{static_cast<std::int64_t>(map.half.size()), map.groups}, {}};
  for (const auto& row : map.latency) {
    for (const double cycles : row) grid.values.push_back(std::lround(cycles));
  }
  return grid;
}

/// Two for each half: the side.
Grid quarters(Problem& problem) {
  const SliceMap& map = map_of(problem);
  Grid grid{{static_cast<std::int64_t>(map.half.size())}, {}};
  for (std::size_t one = 0; one < map.half.size(); ++one) {
    grid.values.push_back(2 * map.half[one] + map.side[one]);
  }
  return grid;
}

Grid blocks(Problem& problem) {
  const SliceMap& map = map_of(problem);
  Grid grid{{map.groups}, {}};
  for (const int block : map.block) grid.values.push_back(block);
  return grid;
}

template <typename Read>
Quantity quantity(const char* name, const char* unit, const Read& read) {
  return {name, unit, Origin::clock,
          [=](Problem& problem) { return static_cast<double>(read(map_of(problem))); }};
}
}  // namespace

void weft::register_steps() {
  Variant made("slices", Axes().settings().front());
  made.kind = Kind::experiment;
  made.curve = true;
  made.checked = {{1}, {8}};
  made.measured = {{512}};
  made.rated_by = Rating::accesses;
  made.amounts = [](const Shape& shape) {
    return Amounts{.accesses = shape[0] * multiprocessors() * (1 + 2 * chains * visits_of_chain)};
  };
  made.make = [](const Shape& shape) -> Owned<Problem> { return make_owned<SlicesProblem>(shape[0]); };
  using Counts = std::vector<std::int64_t>;
  made.quantities = {
      quantity("groups", "1", [](const SliceMap& map) { return map.groups; }),
      {"in-two-groups", "1", Origin::clock,
       [](Problem& problem) {
         return static_cast<double>(dynamic_cast<SlicesProblem&>(problem).in_two_groups());
       }},
      quantity("contradictions", "1", [](const SliceMap& map) { return map.contradictions; }),
      quantity("disputed-groups", "1", [](const SliceMap& map) { return map.disputed; }),
      quantity("blocks", "1", [](const SliceMap& map) { return map.groups_of_blocks().size(); }),
      quantity("smallest-block", "1",
               [](const SliceMap& map) {
                 const Counts counts = map.groups_of_blocks();
                 return counts.empty() ? 0 : *std::ranges::min_element(counts);
               }),
      quantity("largest-block", "1",
               [](const SliceMap& map) {
                 const Counts counts = map.groups_of_blocks();
                 return counts.empty() ? 0 : *std::ranges::max_element(counts);
               }),
      quantity("nearest", "cycles", [](const SliceMap& map) { return map.all_of_map.least; }),
      quantity("farthest", "cycles", [](const SliceMap& map) { return map.all_of_map.most; }),
      quantity("own-quarter", "cycles", [](const SliceMap& map) { return map.own_side.mean(); }),
      quantity("other-quarter", "cycles", [](const SliceMap& map) { return map.other_side.mean(); }),
      quantity("spread-in-half", "cycles", [](const SliceMap& map) { return map.in_half.root(); }),
      quantity("spread-in-slice", "cycles", [](const SliceMap& map) { return map.in_slice.root(); }),
      quantity("copy-longer", "cycles", [](const SliceMap& map) { return map.copies.mean(); }),
      quantity("shortest-crossing", "cycles", [](const SliceMap& map) { return map.crossings.least; }),
      quantity("longest-crossing", "cycles", [](const SliceMap& map) { return map.crossings.most; }),
      quantity("spread-in-crossing", "cycles", [](const SliceMap& map) { return map.in_crossing.root(); })};
  made.series = {{"latencies", "cycles", {"multiprocessor", "group"}, Origin::clock, latencies},
                 {"quarters", "1", {"multiprocessor"}, Origin::clock, quarters},
                 {"blocks", "1", {"group"}, Origin::clock, blocks}};
  add(std::move(made));
}

namespace {
/// A card with two halves of two sides each. Groups 0 and 1 lie side by side, nearer to the first sides;
/// group 2 is nearer to the second sides.
Visited invented_card() {
  constexpr std::int64_t all = 8;
  constexpr std::int64_t lines = 6;  // 0 and 3 of group 0, 1 and 4 of group 1, 2 and 5 of group 2
  Visited card{all, lines, Numbers(2 * all * lines), {0, 1, 2, 0, 1, 2}};
  for (std::int64_t one = 0; one < all; ++one) {
    const std::int64_t half = one / 4;
    const std::int64_t side = one / 2 % 2;
    for (std::int64_t line = 0; line < lines; ++line) {
      const std::int64_t group = line % 3;
      const bool far = line / 3 != half;
      const std::int64_t way = 2000 + 16 * one + 8 * group + (side == (group == 2 ? 1 : 0) ? 0 : 240);
      card.cycles[static_cast<std::size_t>(2 * one * lines + line)] = way + (far ? 56 : 0);
      card.cycles[static_cast<std::size_t>((2 * one + 1) * lines + line)] =
          way + 64 + (far ? 1600 + 80 * group : 0);
    }
  }
  return card;
}
}  // namespace

TEST_CASE("halves, sides and blocks that are planted are found") {
  const SliceMap map(invented_card());
  CHECK(map.groups == 3);
  CHECK(map.contradictions == 0);
  CHECK(map.half == std::vector{0, 0, 0, 0, 1, 1, 1, 1});
  CHECK(map.side == std::vector{0, 0, 1, 1, 0, 0, 1, 1});
  CHECK(map.block == std::vector{0, 0, 1});
  CHECK(map.disputed == 0);
  CHECK(map.latency[0] == std::vector{250., 251., 282.});
  CHECK(map.latency[7] == std::vector{294., 295., 266.});
  CHECK(map.in_slice.root() == 0);
  CHECK(map.copies.least == 7);
  CHECK(map.copies.most == 7);
  CHECK(map.crossings.least == 200);
  CHECK(map.crossings.most == 220);
  CHECK(map.in_crossing.root() == 0);
  CHECK(map.own_side.mean() == doctest::Approx((2 * 255.5 + 261) / 3));
  CHECK(map.other_side.mean() == doctest::Approx((287 + 2 * 289.5) / 3));
}

TEST_CASE(
    "a visit that is near though its line is not, a crossing that is longer, a line apart: all are told") {
  Visited card = invented_card();
  card.cycles[static_cast<std::size_t>(2 * 3 * 6 + 6 + 4)] -= 1600;
  const SliceMap map(card);
  CHECK(map.contradictions == 1);
  CHECK(map.in_crossing.root() > 10);
  card = invented_card();
  card.first_of_group[3] = 1;
  CHECK(SliceMap(card).in_slice.root() > 0.1);
  CHECK(SliceMap(card).groups == 2);  // group 0 has no line at home in the second half
}

TEST_SUITE("device") {
  TEST_CASE("every block has its turn, and each line without a wait is a group of its own") {
    SlicesProblem problem(3);
    problem.fill(1);
    problem.poison(nullptr);
    problem.launch(nullptr);
    cuda_check(cudaDeviceSynchronize());
    CHECK_FALSE(problem.verify());
    const Visited visited = problem.visited();
    CHECK(visited.multiprocessors == multiprocessors());
    for (std::int64_t one = 0; one < visited.multiprocessors; ++one) {
      for (std::int64_t line = 0; line < visited.lines; ++line) {
        CHECK(visited.load(one, line) > 0);
        CHECK(visited.atomic(one, line) > 0);
      }
    }
    CHECK(visited.first_of_group[0] == 0);
    CHECK(problem.in_two_groups() == 0);
  }
}
