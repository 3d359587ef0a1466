#include "choice.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace weft {
namespace {

constexpr double slow = 0.02;     // seconds beside which the loading of a kernel is little
constexpr double hopeful = 1.05;  // times the fastest so far
constexpr std::size_t most_finalists = 8;
constexpr std::size_t samples_of_finalist = 5;

/// A second launch, if there is hope: the first one loads the kernel.
double short_look(const std::function<double()>& seconds, double least) {
  const double first = seconds();
  return first > slow && first > hopeful * least ? first : std::min(first, seconds());
}

double median(const std::function<double()>& seconds) {
  std::array<double, samples_of_finalist> samples{};
  std::ranges::generate(samples, seconds);
  std::ranges::sort(samples);
  return samples[samples_of_finalist / 2];
}

}  // namespace

std::optional<std::size_t> fastest(std::size_t candidates, const std::function<double(std::size_t)>& seconds,
                                   const std::function<bool(std::size_t)>& will_do) {
  double least = refused;
  std::vector<double> taken(candidates);
  const auto launch = [&](std::size_t candidate) { return [&, candidate] { return seconds(candidate); }; };
  for (std::size_t i = 0; i < candidates; ++i) {
    taken[i] = short_look(launch(i), least);
    least = std::min(least, taken[i]);
  }
  std::vector<std::size_t> order(candidates);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto sort_first = [&](std::size_t count) {
    std::ranges::stable_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), {},
                             [&](std::size_t candidate) { return taken[candidate]; });
  };
  sort_first(candidates);
  const auto is_near = [&](std::size_t candidate) { return taken[candidate] <= hopeful * least; };
  const auto finalists =
      std::min(static_cast<std::size_t>(std::ranges::count_if(order, is_near)), most_finalists);
  for (std::size_t i = 0; i < finalists; ++i) taken[order[i]] = median(launch(order[i]));
  sort_first(finalists);
  for (const std::size_t candidate : order) {
    if (taken[candidate] < refused && will_do(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace weft
