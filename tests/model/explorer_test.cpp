#include "model/explorer.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <optional>
#include <stdexcept>

#include "model/access.hpp"

using namespace weft::model;

namespace {

TEST_CASE("what a page asks for is what the model says of the pattern") {
  for (const int width : {1, 2, 4, 8, 16}) {
    for (int offset = 0; offset <= 32; ++offset) {
      for (int stride = 0; stride <= 32; ++stride) {
        for (const int active : {0, 1, 7, 31, 32}) {
          const Lanes lanes(width, [&](int lane) {
            return lane < active ? Element(offset + lane * stride) : std::nullopt;
          });
          REQUIRE(weft_requests(width, offset, stride, active) == requests(lanes));
          REQUIRE(weft_sectors(width, offset, stride, active) == sectors(lanes));
          REQUIRE(weft_lines(width, offset, stride, active) == lines(lanes));
          REQUIRE(weft_wanted_bytes(width, offset, stride, active) == wanted_bytes(lanes));
          for (int lane = 0; lane < active; ++lane) {
            REQUIRE(weft_address(width, offset, stride, active, lane) == lanes.address(lane));
          }
        }
      }
    }
  }
}

TEST_CASE("a page knows the model's sizes") {
  CHECK(weft_warp_size() == 32);
  CHECK(weft_sector_of(weft_sector_bytes() - 1) == 0);
  CHECK(weft_sector_of(weft_sector_bytes()) == 1);
  CHECK(weft_line_of(weft_line_bytes() - 1) == 0);
  CHECK(weft_line_of(weft_line_bytes()) == 1);
}

TEST_CASE("a width that no instruction has is refused") {
  CHECK_THROWS_AS(weft_sectors(3, 0, 1, 32), std::invalid_argument);
}

}  // namespace
