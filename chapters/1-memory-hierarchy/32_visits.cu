// A thread on each multiprocessor loads lines of its own four times. Before that it has read these lines
// itself, or one thread has read or written the lines of all.
#include "visits.hpp"

namespace {
constexpr int visits = 4;
constexpr std::int64_t bytes_apart = 4096;

/// What has happened to the lines.
enum class Before : std::uint8_t {
  nothing,
  read_by_one,
  written_by_one,  ///< and before that read from where they are visited
  read
};

/// Reads or writes lines.
/// @param by_one whether the first block does it with the lines of all, or each with its own
__global__ void touch(Link* first, std::int64_t apart, std::int64_t lines, bool write, bool by_one) {
  if (by_one && blockIdx.x != 0) return;
  Link* const own = first + (by_one ? 0 : blockIdx.x * lines * apart);
  const std::int64_t count = by_one ? gridDim.x * lines : lines;
  auto at = reinterpret_cast<unsigned long long>(own);
  for (std::int64_t line = 0; line < count; ++line) {
    Link* const link = own + line * apart;
    if (write) link->next = reinterpret_cast<unsigned long long>(link);  // as it was
    if (!write) at = next_line(at);
  }
  if (at == 0) first->next = 0;  // so that what is read is used
}

// [kernel]
/// @param numbers takes the multiprocessor of each block, and then of each block, visit and line the cycles
__global__ void visit(const Link* first, std::int64_t apart, std::int64_t lines, Link* ends,
                      std::int64_t* numbers) {
  // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
  std::int64_t* const cycles = numbers + gridDim.x + blockIdx.x * visits * lines;
  const Link* const own = first + blockIdx.x * lines * apart;
  if (__ldcg(&own[apart / 2].next) == 0) return;  // another line: so that the page's address is known
  auto at = reinterpret_cast<unsigned long long>(own);
  for (std::int64_t line = 0; line < lines; ++line) {
    for (int visit = 0; visit < visits; ++visit) cycles[visit * lines + line] = timed<Visit::load>(at);
    at = next_line(at);
  }
  ends[blockIdx.x].next = at;
  numbers[blockIdx.x] = multiprocessor();
}
// [kernel]

/// @param lines of each multiprocessor
Owned<Problem> make(std::int64_t lines, Before what) {
  const std::int64_t blocks = multiprocessors();
  auto problem = make_owned<Lines>(blocks * lines, bytes_apart);
  auto& ends = problem->ends(blocks, [=](std::int64_t block) { return (block + 1) * lines; });
  std::int64_t* const numbers = problem->numbers(blocks * (1 + visits * lines));
  problem->launches([=, &ends, &all = *problem](cudaStream_t stream) {
    const auto grid = static_cast<unsigned>(blocks);
    const auto touch_lines = [&](bool write, bool by_one) {
      touch<<<grid, 1, 0, stream>>>(all.first(), all.apart(), lines, write, by_one);
    };
    if (what == Before::read || what == Before::written_by_one) touch_lines(false, false);
    if (what == Before::read_by_one || what == Before::written_by_one) {
      touch_lines(what == Before::written_by_one, true);
    }
    visit<<<grid, 1, 0, stream>>>(all.first(), all.apart(), lines, ends.data(), numbers);
  });
  return problem;
}

Grid latencies(Problem& problem) {
  Numbers cycles = by_multiprocessor(problem);
  return {{multiprocessors(), visits, ssize(cycles) / multiprocessors() / visits}, std::move(cycles)};
}

/// So many in a hundred of the first visits, or of the second, take no longer.
Function<double(Problem&)> percentile_of(int visit, int percent) {
  return [=](Problem& problem) {
    const Grid all = latencies(problem);
    const std::int64_t lines = all.lengths[2];
    Numbers cycles;
    for (auto row = all.values.begin() + visit * lines; row < all.values.end(); row += visits * lines) {
      for (std::int64_t line = 0; line < lines; ++line) cycles.push_back(row[line]);
    }
    return percentile(std::move(cycles), percent);
  };
}

model::Prediction predict(std::int64_t lines, Before what) {
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  const std::int64_t blocks = multiprocessors();
  const std::int64_t touched = what == Before::nothing ? 0 : blocks * lines;
  const std::int64_t written = what == Before::written_by_one ? blocks * lines : 0;
  return model::Prediction{}
      .global_load(blocks * (lines * (visits + 1) + 1) + touched, 8, one)
      .global_store(blocks * (lines * visits + 2) + written, 8, one);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("before", {1, 2, 3, 0}).settings()) {
    const auto what = static_cast<Before>(setting.number());
    Variant made("visits", setting);
    made.checked = {{1}, {3}};
    made.measured = {{8}};
    made.counted = {{2}};
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0] * visits}; };
    made.make = [=](const Shape& shape) { return make(shape[0], what); };
    made.predict = [=](const Shape& shape) { return predict(shape[0], what); };
    made.quantities = {{"shortest-first-visit", "cycles", Origin::clock, percentile_of(0, 10)},
                       {"two-thirds-first-visit", "cycles", Origin::clock, percentile_of(0, 66)},
                       {"first-visit", "cycles", Origin::clock, percentile_of(0, 90)},
                       {"second-visit", "cycles", Origin::clock, percentile_of(1, 90)}};
    add(std::move(made));
  }
}
