// `model WHAT` is the model as figures and pages ask it: it reads a question as JSON, null or nothing where
// there is nothing to say, and writes the answer.

#include <array>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <istream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "model/answers.hpp"

namespace {

using weft::answers::Json;

constexpr std::array<std::pair<std::string_view, Json (*)(const Json&)>, 7> subjects{{
    {"lanes", weft::answers::lanes},
    {"textbook", weft::answers::textbook},
    {"in-flight", weft::answers::in_flight},
    {"coarsening", weft::answers::coarsening},
    {"memories", weft::answers::memories},
    {"random-runs", weft::answers::random_runs},
    {"trace", weft::answers::trace},
}};

Json answer(std::string_view what, std::istream& question) {
  for (const auto& [subject, answer] : subjects) {
    if (subject == what) return answer((question >> std::ws).eof() ? Json() : Json::parse(question));
  }
  throw std::invalid_argument(
      "lanes, textbook, in-flight, coarsening, memories, random-runs or trace is asked for");
}

}  // namespace

int main(int count, const char* const* arguments) {
  try {
    std::cout << answer(count == 2 ? arguments[1] : "", std::cin) << '\n' << std::flush;
    return std::cout ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << "model: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
