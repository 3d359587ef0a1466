#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "model/list.hpp"

namespace weft::test {
namespace {

TEST_CASE("a list holds what is put into it, in order, as it grows") {
  Numbers squares;
  CHECK(squares.empty());
  for (std::int64_t i = 0; i < 100; ++i) {
    squares.push_back(i * i);
    CHECK(ssize(squares) == i + 1);
  }
  for (std::size_t i = 0; i < 100; ++i) CHECK(squares[i] == static_cast<std::int64_t>(i * i));
  CHECK(squares.front() == 0);
  CHECK(squares.back() == 99 * 99);
}

TEST_CASE("a copy is a list of its own, and what was moved from is empty") {
  List<std::string> words{"warp", "weft"};
  List<std::string> copy = words;
  copy[0] = "woof";
  CHECK(words == List<std::string>{"warp", "weft"});
  CHECK(copy == List<std::string>{"woof", "weft"});
  const List<std::string> moved = std::move(words);
  CHECK(moved == List<std::string>{"warp", "weft"});
  CHECK(words.empty());  // NOLINT(bugprone-use-after-move)
  copy = moved;
  CHECK(copy == moved);
}

TEST_CASE("lists are equal if all of their values are") {
  CHECK(Numbers{1, 2} == Numbers{1, 2});
  CHECK(Numbers{1, 2} != Numbers{1, 3});
  CHECK(Numbers{1, 2} != Numbers{1, 2, 3});
  CHECK(Numbers(3, 7) == Numbers{7, 7, 7});
  CHECK(Numbers(2) == Numbers{0, 0});
}

TEST_CASE("a list is appended, to itself, too") {
  Numbers numbers{1, 2, 3};
  numbers.append({4, 5});
  numbers.append(numbers);
  CHECK(numbers == Numbers{1, 2, 3, 4, 5, 1, 2, 3, 4, 5});
  numbers.clear();
  CHECK(numbers.empty());
}

TEST_CASE("a place behind the end is refused") {
  CHECK(Numbers{1, 2}.at(1) == 2);
  CHECK_THROWS_AS(static_cast<void>(Numbers{1, 2}.at(2)), std::out_of_range);
}

constexpr bool is_constant() {
  Numbers numbers{1, 2};
  numbers.push_back(3);
  return numbers == Numbers{1, 2, 3};
}
static_assert(is_constant());

}  // namespace
}  // namespace weft::test
