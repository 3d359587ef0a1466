// A thread on every multiprocessor visits the same lines again and again: by atomics, which are done in the
// half of the L2 that is a line's home, or by loads.
#include "visits.hpp"

namespace {
constexpr int visits = 8;
constexpr std::int64_t bytes_apart = 4096;

// [kernel]
/// A block on each multiprocessor goes from line to line. Of its visits to a line the shortest counts.
/// @param numbers takes the multiprocessor of each block, and then of each block and line the cycles
template <Visit how>
__global__ void visit(const Link* first, std::int64_t apart, std::int64_t lines, Link* ends,
                      std::int64_t* numbers) {
  std::int64_t* const cycles = numbers + gridDim.x + blockIdx.x * lines;
  std::int64_t line = blockIdx.x % lines;  // so that few of them ask for one line at a time
  auto at = reinterpret_cast<unsigned long long>(first + line * apart);
  for (std::int64_t i = 0; i < lines; ++i) {
    unsigned shortest = ~0U;
#pragma unroll 1
    for (int visit = 0; visit < visits; ++visit) shortest = min(shortest, timed<how>(at));
    cycles[line] = shortest;
    line = line + 1 < lines ? line + 1 : 0;
    at = next_line(at);
  }
  ends[blockIdx.x].next = at;
  numbers[blockIdx.x] = multiprocessor();
}
// [kernel]

Owned<Problem> make(std::int64_t lines, Visit how) {
  const std::int64_t blocks = multiprocessors();
  auto problem = make_owned<Lines>(lines, bytes_apart);
  auto& ends = problem->ends(blocks, [=](std::int64_t block) { return block % lines; });
  std::int64_t* const numbers = problem->numbers(blocks * (1 + lines));
  problem->launches([=, &ends, &all = *problem](cudaStream_t stream) {
    const auto kernel = how == Visit::atomic ? visit<Visit::atomic> : visit<Visit::load>;
    kernel<<<static_cast<unsigned>(blocks), 1, 0, stream>>>(all.first(), all.apart(), lines, ends.data(),
                                                            numbers);
  });
  return problem;
}

Grid latencies(Problem& problem) {
  Numbers cycles = by_multiprocessor(problem);
  return {{multiprocessors(), ssize(cycles) / multiprocessors()}, std::move(cycles)};
}

/// So many in a hundred visits take no longer, over all multiprocessors and lines.
Function<double(Problem&)> percentile_of_all(int percent) {
  return [=](Problem& problem) { return percentile(by_multiprocessor(problem), percent); };
}

model::Prediction predict(std::int64_t lines, Visit how) {
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  const std::int64_t blocks = multiprocessors();
  const int loads = how == Visit::load ? visits + 1 : 1;
  return model::Prediction{}
      .global_load(blocks * lines * loads, 8, one)
      .global_store(blocks * (lines + 2), 8, one);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("loads", {0, 1}).settings()) {
    const Visit how = setting.number() == 0 ? Visit::atomic : Visit::load;
    Variant made("near-far", setting);
    made.checked = {{1}, {7}};
    made.measured = {{64}};
    made.polls = how == Visit::atomic;
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0] * (visits + 1)}; };
    made.make = [=](const Shape& shape) { return make(shape[0], how); };
    made.counted = {{4}};
    made.predict = [=](const Shape& shape) { return predict(shape[0], how); };
    made.quantities = {{"nearer-half", "cycles", Origin::clock, percentile_of_all(25)},
                       {"farther-half", "cycles", Origin::clock, percentile_of_all(75)}};
    made.series = {{"latencies", "cycles", {"multiprocessor", "line"}, Origin::clock, latencies}};
    add(std::move(made));
  }
}
