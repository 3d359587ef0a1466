#include "step/axes.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "step/text.hpp"

namespace weft::test {
namespace {

std::vector<std::string> names(const Axes& axes) {
  std::vector<std::string> all;
  for (const Setting& setting : axes.settings()) {
    all.push_back(to_string(by_name(setting.parameters())) + (setting.is_default() ? " *" : ""));
  }
  return all;
}

TEST_CASE("a range holds both of its ends") {
  CHECK(range(1, 4) == Numbers{1, 2, 3, 4});
  CHECK(range(-1, 1) == Numbers{-1, 0, 1});
  CHECK(range(7, 7) == Numbers{7});
  CHECK(range(7, 6).empty());
}

TEST_CASE("without an axis there is one variant, the default") {
  CHECK(names({}) == std::vector<std::string>{" *"});
}

TEST_CASE("a block has as many extents as the blocks of its axis need") {
  CHECK(names(dim3{256}) == std::vector<std::string>{"block=256 *"});
  CHECK(names(dim3{32, 8}) == std::vector<std::string>{"block=32x8 *"});
  CHECK(names(List<dim3>{{256}, {32, 8}}) == std::vector<std::string>{"block=256x1 *", "block=32x8"});
  CHECK(names(dim3{8, 1, 4}) == std::vector<std::string>{"block=8x1x4 *"});
}

TEST_CASE("every combination is a variant, and the first values are the default") {
  const Axes axes = Axes(List<dim3>{{64}, {128}}).with("stride", {1, 2}).with_tuples("tile", {{8, 4}});
  CHECK(names(axes) == std::vector<std::string>{
                           "block=64 stride=1 tile=8x4 *",
                           "block=64 stride=2 tile=8x4",
                           "block=128 stride=1 tile=8x4",
                           "block=128 stride=2 tile=8x4",
                       });
}

TEST_CASE("a setting gives its parameters, and refuses others") {
  const Setting setting = Axes(dim3{32, 8}).with_tuples("tile", {{64, 16}}).settings().front();
  CHECK(setting["tile"] == Numbers{64, 16});
  CHECK(setting.values() == Numbers{64, 16});
  CHECK(setting.number() == 64);
  CHECK(setting.block().x == 32);
  CHECK(setting.block().y == 8);
  CHECK(setting.block().z == 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(setting["offset"]), "this step has no parameter offset",
                       std::out_of_range);
  const Setting only_block = Axes(dim3{64}).settings().front();
  CHECK_THROWS_WITH_AS(static_cast<void>(only_block.number()), "this step has no parameter but its block",
                       std::out_of_range);
}

using Told = StepFunction<std::string(const char*)>;

std::string told_nothing(const char* given) { return given; }
std::string told_all(const char* given, std::int64_t rows, dim3 block, std::int64_t columns, int number) {
  return given + std::to_string(rows) + ' ' + std::to_string(columns) + ' ' + std::to_string(block.y) + ' ' +
         std::to_string(number);
}
std::string told_values(const char* given, const Numbers& values) { return given + to_string(values); }

std::string told(const Told& function, const Shape& shape, const Axes& axes) {
  return function(shape, axes.settings().front(), "a");
}

TEST_CASE("a step's function gets what it asks for, in whatever order") {
  const Axes axes = Axes(dim3{32, 8}).with_tuples("tile", {{5, 6}});
  CHECK(told(told_nothing, {1, 2}, axes) == "a");
  CHECK(told(told_all, {1, 2}, axes) == "a1 2 8 5");
  CHECK(told(told_values, {1, 2}, axes) == "a5x6");
}

TEST_CASE("a step's function is refused what there is not") {
  CHECK_THROWS_AS(told(told_all, {1}, Axes(dim3{1}).with("n", {1})), std::out_of_range);
  CHECK_THROWS_AS(told(told_all, {1, 2}, Axes().with("n", {1})), std::out_of_range);
  CHECK_THROWS_AS(told(told_values, {1, 2}, dim3{1}), std::out_of_range);
}

TEST_CASE("a step's function that is none says so") {
  CHECK_FALSE(Told());
  CHECK_FALSE(Told(nullptr));
  CHECK(Told(told_nothing));
}

}  // namespace
}  // namespace weft::test
