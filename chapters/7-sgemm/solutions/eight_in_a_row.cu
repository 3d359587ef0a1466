// Eight neighbouring columns to a thread instead of four in each half: every load finds half of the banks.
//
// Exercise: why does a thread of the quadrants not take eight neighbouring columns?
#include "problem.hpp"

// [wavefronts]
/// The wavefronts of a load of four floats of B, by the first of them that each of 16 threads side by side
/// takes.
template <typename FirstOfThread>
int wavefronts(FirstOfThread first_of_thread) {
  return model::shared_load_wavefronts({16, [&](int lane) { return first_of_thread(lane % 16) / 4; }});
}

TEST_CASE("eight in a row take twice the wavefronts of two times four") {
  const auto in_halves = [](int x) { return 4 * x; };
  const auto in_a_row = [](int x) { return 8 * x; };
  CHECK(wavefronts(in_a_row) == 2 * wavefronts(in_halves));
}
// [wavefronts]

void weft::register_steps() { tests_alone(); }
