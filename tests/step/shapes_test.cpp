#include "step/shapes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "step/text.hpp"

namespace weft::test {
namespace {

TEST_CASE("adversarial shapes hold what breaks kernels") {
  const List<Shape> shapes = adversarial_shapes(64, 16);
  const auto holds = [&](const Shape& shape) { return std::ranges::count(shapes, shape) == 1; };
  for (const Shape& shape : List<Shape>{{0, 0},
                                        {0, 37},
                                        {37, 0},
                                        {1, 1},
                                        {1, 1031},
                                        {1031, 1},
                                        {509, 1021},
                                        {31, 33},
                                        {32, 32},
                                        {33, 31},
                                        {63, 15},
                                        {64, 17},
                                        {65, 16},
                                        {129, 33}}) {
    CHECK_MESSAGE(holds(shape), to_string(shape));
  }
  constexpr std::int64_t grid_limit = 65535;
  const auto some = [&](auto predicate) { return std::ranges::any_of(shapes, predicate); };
  CHECK(some([](const Shape& shape) { return shape[0] / 64 > grid_limit; }));
  CHECK(some([](const Shape& shape) { return shape[1] / 16 > grid_limit; }));
  for (const Shape& shape : large_shapes()) CHECK(elements(shape) > std::int64_t{1} << 31);
}

}  // namespace
}  // namespace weft::test
