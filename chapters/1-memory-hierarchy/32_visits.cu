// A thread loads each line four times. Before that a thread on another multiprocessor has read the lines, or
// written them, or nobody has.
#include <algorithm>

#include "visits.hpp"

namespace {
constexpr int visits = 4;
constexpr std::int64_t bytes_apart = 4096;

/// What the other multiprocessor does with the lines.
enum class Before : std::uint8_t { nothing, read, written };

/// @param block that does it; there is one on each multiprocessor
__global__ void prepare(Link* first, std::int64_t apart, std::int64_t lines, Before what, unsigned block,
                        std::int64_t* where) {
  if (blockIdx.x != block) return;
  *where = multiprocessor();
  auto at = reinterpret_cast<unsigned long long>(first);
  for (std::int64_t line = 0; line < lines; ++line) {
    Link* const link = first + line * apart;
    if (what == Before::written) link->next = reinterpret_cast<unsigned long long>(link);  // as it was
    if (what == Before::read) at = next_line(at);
  }
  if (at == 0) *where = -1;  // so that what is read is used
}

// [kernel]
/// @param cycles takes those of the first visits to each line, then those of the second, and so on
__global__ void visit(const Link* first, std::int64_t lines, Link* end, std::int64_t* where,
                      std::int64_t* cycles) {
  *where = multiprocessor();
  auto at = reinterpret_cast<unsigned long long>(first);
  for (std::int64_t line = 0; line < lines; ++line) {
    for (int visit = 0; visit < visits; ++visit) cycles[visit * lines + line] = timed<Visit::load>(at);
    at = next_line(at);
  }
  end->next = at;
}
// [kernel]

std::unique_ptr<Problem> make(std::int64_t lines, Before what, int block) {
  auto problem = std::make_unique<Lines>(lines, bytes_apart);
  auto& end = problem->ends(1, [](auto) { return 0; });
  std::int64_t* const numbers = problem->numbers(2 + visits * lines);
  problem->launches([=, &end, &all = *problem](cudaStream_t stream) {
    prepare<<<static_cast<unsigned>(multiprocessors()), 1, 0, stream>>>(
        all.first(), all.apart(), lines, what, static_cast<unsigned>(block), numbers);
    visit<<<1, 1, 0, stream>>>(all.first(), lines, end.data(), numbers + 1, numbers + 2);
  });
  return problem;
}

Grid latencies(Problem& problem) {
  const std::vector<std::int64_t> numbers = written_numbers(problem);
  return {{visits, (std::ssize(numbers) - 2) / visits}, {numbers.begin() + 2, numbers.end()}};
}

/// The cycles of so many in a hundred of a visit to each line are no more.
std::function<double(Problem&)> percentile(int percent, int visit) {
  return [=](Problem& problem) {
    const Grid grid = latencies(problem);
    const std::int64_t lines = grid.lengths[1];
    std::vector<std::int64_t> row(grid.values.begin() + visit * lines,
                                  grid.values.begin() + (visit + 1) * lines);
    std::ranges::sort(row);
    return static_cast<double>(row[static_cast<std::size_t>(lines * percent / 100)]);
  };
}

std::function<double(Problem&)> multiprocessor_of(std::size_t kernel) {
  return [=](Problem& problem) { return static_cast<double>(written_numbers(problem)[kernel]); };
}

model::Prediction predict(std::int64_t lines, Before what) {
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  const std::int64_t loads = lines * (visits + 1) + (what == Before::read ? lines : 0);
  const std::int64_t stores = lines * visits + 3 + (what == Before::written ? lines : 0);
  return model::Prediction{}.global_load(loads, 8, one).global_store(stores, 8, one);
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("before", {1, 2, 0}).with("block", {1, 2, 3, 4, 5, 6, 7, 8});
  for (const Setting& setting : axes.settings()) {
    const auto what = static_cast<Before>(setting.number("before"));
    const int block = setting.number("block");
    Variant made("visits", setting);
    made.checked = {{1}, {7}};
    made.measured = {{64}};
    made.counted = {{8}};
    made.curve = true;
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0] * visits}; };
    made.make = [=](const Shape& shape) { return make(shape[0], what, block); };
    made.predict = [=](const Shape& shape) { return predict(shape[0], what); };
    made.quantities = {{"nearest-first-visit", "cycles", Origin::clock, percentile(10, 0)},
                       {"first-visit", "cycles", Origin::clock, percentile(90, 0)},
                       {"second-visit", "cycles", Origin::clock, percentile(90, 1)},
                       {"other-multiprocessor", "1", Origin::clock, multiprocessor_of(0)},
                       {"multiprocessor", "1", Origin::clock, multiprocessor_of(1)}};
    made.series = {{"latencies", "cycles", {"visit", "line"}, Origin::clock, latencies}};
    add(std::move(made));
  }
}
