#include "model/explorer.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <optional>
#include <stdexcept>

#include "model/access.hpp"
#include "model/shared.hpp"

using namespace weft::model;

namespace {

TEST_CASE("what a page asks for is what the model says of the pattern") {
  for (const int width : {1, 2, 4, 8, 16}) {
    for (int offset = 0; offset <= 32; ++offset) {
      for (int stride = 0; stride <= 33; ++stride) {
        for (const int active : {0, 1, 7, 31, 32}) {
          const Lanes lanes(width, [&](int lane) {
            return lane < active ? Element(offset + lane * stride) : std::nullopt;
          });
          REQUIRE(weft_requests(width, offset, stride, active) == requests(lanes));
          REQUIRE(weft_sectors(width, offset, stride, active) == sectors(lanes));
          REQUIRE(weft_lines(width, offset, stride, active) == lines(lanes));
          REQUIRE(weft_wanted_bytes(width, offset, stride, active) == wanted_bytes(lanes));
          REQUIRE(weft_shared_load_wavefronts(width, offset, stride, active) ==
                  shared_load_wavefronts(lanes));
          REQUIRE(weft_shared_store_wavefronts(width, offset, stride, active) ==
                  shared_store_wavefronts(lanes));
          for (int lane = 0; lane < active; ++lane) {
            REQUIRE(weft_address(width, offset, stride, active, lane) == lanes.address(lane));
          }
        }
      }
    }
  }
}

TEST_CASE("a page knows the model's sizes") {
  CHECK(weft_sector_of(weft_sector_bytes() - 1) == 0);
  CHECK(weft_sector_of(weft_sector_bytes()) == 1);
  CHECK(weft_line_of(weft_line_bytes() - 1) == 0);
  CHECK(weft_line_of(weft_line_bytes()) == 1);
  CHECK(weft_word_of(weft_word_bytes()) == 1);
  CHECK(weft_bank_of(weft_banks() - 1) == 31);
  CHECK(weft_bank_of(weft_banks()) == 0);
  CHECK(weft_lanes_per_phase(4) == 32);
  CHECK(weft_lanes_per_phase(16) == 8);
}

TEST_CASE("a width that no instruction has is refused") {
  CHECK_THROWS_AS(weft_sectors(3, 0, 1, 32), std::invalid_argument);
}

}  // namespace
