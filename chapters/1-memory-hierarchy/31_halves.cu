// One thread visits lines all over a page of two mebibytes: which bits of an address decide which half of the
// L2 is the home of its line?
#include <algorithm>
#include <cmath>

#include "visits.hpp"

namespace {
constexpr int visits = 4;
constexpr std::int64_t bytes_apart = 512;
constexpr std::int64_t page = std::int64_t{2} << 20;  ///< within which addresses are those of the memory

/// Of the visits to a line the shortest counts.
__global__ void visit_all(const Link* first, std::int64_t lines, Link* end, std::int64_t* cycles) {
  auto at = reinterpret_cast<unsigned long long>(first);
  for (std::int64_t line = 0; line < lines; ++line) {
    unsigned shortest = ~0U;
#pragma unroll 1
    for (int visit = 0; visit < visits; ++visit) shortest = min(shortest, timed<Visit::atomic>(at));
    cycles[line] = shortest;
    at = next_line(at);
  }
  end->next = at;
}

Owned<Problem> make(std::int64_t lines) {
  auto problem = make_owned<Lines>(lines, bytes_apart);
  auto& end = problem->ends(1, [](auto) { return 0; });
  std::int64_t* const cycles = problem->numbers(lines);
  problem->launches([=, &end, &all = *problem](cudaStream_t stream) {
    visit_all<<<1, 1, 0, stream>>>(all.first(), lines, end.data(), cycles);
  });
  return problem;
}

Grid latencies(Problem& problem) {
  Numbers cycles = written_numbers(problem);
  return {{ssize(cycles)}, std::move(cycles)};
}

/// For each bit of an address from that of `bytes_apart` on: of how many lines in a hundred is the line whose
/// address differs in this bit alone in the other half?
List<double> flips(Problem& problem) {
  const Numbers cycles = written_numbers(problem);
  Numbers sorted = cycles;
  std::ranges::sort(sorted);
  const std::int64_t middle =
      (sorted[sorted.size() / 20] + sorted[sorted.size() - 1 - sorted.size() / 20]) / 2;
  const std::size_t first =
      reinterpret_cast<std::uintptr_t>(dynamic_cast<Lines&>(problem).first()) / bytes_apart;
  List<double> shares;
  for (std::size_t bit = 1; bit < page / bytes_apart; bit *= 2) {
    int pairs = 0;
    int flipped = 0;
    for (std::size_t line = 0; line < cycles.size(); ++line) {
      const std::size_t other = ((first + line) ^ bit) - first;
      if (other >= cycles.size()) continue;
      ++pairs;
      if ((cycles[line] > middle) != (cycles[other] > middle)) ++flipped;
    }
    shares.push_back(pairs == 0 ? 0 : 100.0 * flipped / pairs);
  }
  return shares;
}

Grid rounded_flips(Problem& problem) {
  const List<double> shares = flips(problem);
  Grid grid{{ssize(shares)}, {}};
  for (const double share : shares) grid.values.push_back(std::lround(share));
  return grid;
}

/// The bit that is least decided: 0 if each bit flips the half of all lines or of none.
double undecided(Problem& problem) {
  double most = 0;
  for (const double share : flips(problem)) most = max(most, min(share, 100 - share));
  return most;
}

double deciding(Problem& problem) {
  return static_cast<double>(std::ranges::count_if(flips(problem), [](double share) { return share > 50; }));
}

model::Prediction predict(std::int64_t lines) {
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  return model::Prediction{}.global_load(lines, 8, one).global_store(lines + 1, 8, one);
}
}  // namespace

void weft::register_steps() {
  Variant made("halves", Axes().settings().front());
  made.checked = {{1}, {8}};
  made.measured = {{(page - guard_bytes) / bytes_apart}};
  made.counted = {{16}};
  made.polls = true;
  made.rated_by = Rating::accesses;
  made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0] * (visits + 1)}; };
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  made.quantities = {{"undecided", "percent", Origin::clock, undecided},
                     {"deciding-bits", "1", Origin::clock, deciding}};
  made.series = {{"latencies", "cycles", {"line"}, Origin::clock, latencies},
                 {"flips", "percent", {"bit"}, Origin::clock, rounded_flips}};
  add(std::move(made));
}
