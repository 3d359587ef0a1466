#include "problem.hpp"

#include <set>

#include "check/arrays.hpp"
#include "check/small_integer.hpp"
#include "step/axes.hpp"

namespace weft {
namespace {

Owned<Problem> make(std::int64_t width, Launch launch) {
  auto problem = make_owned<ArrayProblem>();
  auto& m = problem->input<float>("M", {width, width}, small_integer);
  auto& n = problem->input<float>("N", {width, width}, small_integer_of_second);
  auto& p = problem->output<float>("P", {width, width}, [=](std::uint64_t seed, std::int64_t index) {
    float sum = 0;
    for (std::int64_t k = 0; k < width; ++k) {
      sum += small_integer(seed, index / width * width + k) *
             small_integer_of_second(seed, k * width + index % width);
    }
    return sum;
  });
  problem->launches([=, &m, &n, &p](cudaStream_t stream) {
    if (width > 0) launch(stream, {m.data(), n.data(), p.data(), width});
  });
  return problem;
}

}  // namespace

void add_product(const char* name, Launch launch, Predict predict) {
  Variant made(name, Axes().settings().front());
  made.checked = {{0}, {1}, {2}, {3}, {4}, {5}, {8}, {31}, {32}, {33}, {97}};
  made.measured = {{1024}};
  made.counted = {{4}, {8}, {64}};
  made.rated_by = Rating::operations;
  made.make = [=](const Shape& shape) { return make(shape[0], launch); };
  made.amounts = [](const Shape& shape) {
    const std::int64_t width = shape[0];
    return Amounts{.bytes = 3 * std::int64_t{sizeof(float)} * width * width,
                   .operations = 2 * width * width * width};
  };
  if (predict != nullptr) made.predict = [=](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}

std::int64_t channels_of(const Numbers& notes, std::int64_t phases, std::int64_t phase) {
  std::set<std::int64_t> channels;
  for (auto note = static_cast<std::size_t>(phase); note < notes.size();
       note += static_cast<std::size_t>(phases)) {
    channels.insert(toy.place(notes[note] * std::int64_t{sizeof(float)}).channel);
  }
  return static_cast<std::int64_t>(channels.size());
}

}  // namespace weft
