// Eight lanes down and four across, numbered along the rows: what it costs to leave their numbers unmixed.
//
// Exercise: Number the lanes of a warp plainly, four beside each other and then the next row. How many
// wavefronts do the loads of A and of B take?
#include <doctest/doctest.h>

#include "model/shared.hpp"
#include "step/vocabulary.hpp"

namespace {
using weft::model::shared_load_wavefronts;

// [lanes]
constexpr int plain_row(int lane) { return lane / 4; }
constexpr int plain_column(int lane) { return lane % 4; }

constexpr int mixed_row(int lane) { return lane / 2 % 8; }
constexpr int mixed_column(int lane) { return lane / 16 * 2 + lane % 2; }
// [lanes]
}  // namespace

// [wavefronts]
TEST_CASE("plain numbers cost B twice the wavefronts: no lane's neighbours want the same of it") {
  CHECK(shared_load_wavefronts({16, plain_row}) == 2);
  CHECK(shared_load_wavefronts({16, plain_column}) == 4);
  CHECK(shared_load_wavefronts({16, mixed_row}) == 2);
  CHECK(shared_load_wavefronts({16, mixed_column}) == 2);
}
// [wavefronts]

void weft::register_steps() { tests_alone(); }
