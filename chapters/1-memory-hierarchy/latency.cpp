#include "latency.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "check/array_of.hpp"
#include "link_text.hpp"

namespace weft {

std::string value_text(Link link) { return std::to_string(link.next); }

template class ArrayOf<Link>;

Variant latency_roof(const char* name, std::int64_t lines, std::int64_t apart, std::int64_t loads,
                     LaunchWalk launch) {
  Variant made = roof(name, loads, 256);
  made.rated_by = Rating::accesses;
  made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0]}; };
  made.make = [=](const Shape& shape) {
    auto problem = make_owned<ArrayProblem>();
    // Where the ring begins is known when it is allocated, and asked for when it is filled.
    const auto base = std::make_shared<unsigned long long>();
    const auto link = [=](std::int64_t index) {
      return Link{*base + static_cast<unsigned long long>(index % (lines * links_of_line)) * sizeof(Link)};
    };
    auto& ring = problem->input<Link>("ring", {lines * links_of_line}, [=](auto, std::int64_t index) {
      return link(index + apart * links_of_line);
    });
    *base = reinterpret_cast<unsigned long long>(ring.data());
    auto& end =
        problem->output<Link>("end", {1}, [=](auto, auto) { return link(shape[0] * apart * links_of_line); });
    problem->launches(
        [=, &ring, &end](cudaStream_t stream) { launch(stream, ring.data(), end.data(), shape[0]); });
    return problem;
  };
  made.predict = [](const Shape& shape) {
    const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
    return model::Prediction{}.global_load(shape[0], 8, one).global_store(1, 8, one);
  };
  return made;
}

Numbers by_multiprocessor(Problem& problem) { return by_multiprocessor(written_numbers(problem)); }

Numbers by_multiprocessor(const Numbers& numbers) {
  const std::int64_t blocks = multiprocessors();
  const std::int64_t length = std::ssize(numbers) / blocks - 1;
  Numbers order(static_cast<std::size_t>(blocks));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::int64_t block) { return numbers[static_cast<std::size_t>(block)]; });
  Numbers values;
  for (const std::int64_t block : order) {
    const std::int64_t* const row = numbers.begin() + blocks + block * length;
    for (std::int64_t i = 0; i < length; ++i) values.push_back(row[i]);
  }
  return values;
}

double percentile(Numbers values, int percent) {
  std::ranges::sort(values);
  return static_cast<double>(values[values.size() * static_cast<std::size_t>(percent) / 100]);
}

}  // namespace weft
