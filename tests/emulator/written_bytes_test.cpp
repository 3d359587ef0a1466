// Which bytes of an allocation were written: held against one flag per byte.

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "emulator/memory/allocations.hpp"
#include "emulator/memory/written_bytes.hpp"

using namespace weft::emulator;

TEST_CASE("written bytes are those of a plain list of flags, after any marks") {
  constexpr std::uint64_t bytes = 100'001;  // three whole chunks and a part
  WrittenBytes written(bytes);
  std::vector<bool> flags(bytes);
  std::mt19937 random(6);
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t offset = random() % bytes;
    const std::uint64_t most = round % 7 == 0 ? 40'000 : 200;
    const std::uint64_t length = std::min<std::uint64_t>(random() % most, bytes - offset);
    const bool forgets = round % 5 == 4;
    forgets ? written.forget(offset, length) : written.mark(offset, length);
    for (std::uint64_t i = offset; i < offset + length; ++i) flags[i] = !forgets;
    const std::uint64_t from = random() % bytes;
    std::uint64_t unwritten = from;
    while (unwritten < bytes && flags[unwritten]) ++unwritten;
    std::uint64_t marked = from;
    while (marked < bytes && !flags[marked]) ++marked;
    REQUIRE(written.first_unwritten(from, bytes - from) == unwritten);
    REQUIRE(written.first_written(from, bytes - from) == marked);
    const WrittenBytes::Range whole = written.whole_range(from);
    for (std::uint64_t i = whole.begin; i < whole.end; ++i) REQUIRE(flags[i]);
  }
  written.mark(0, bytes);
  CHECK(written.first_unwritten(0, bytes) == bytes);
  CHECK(written.whole_range(bytes - 1).end == bytes);
}

TEST_CASE("a copy holds what its source held, written or not") {
  Allocations memory;
  auto* const from = static_cast<std::byte*>(memory.allocate(256, Allocation::Kind::device));
  auto* const to = static_cast<std::byte*>(memory.allocate(256, Allocation::Kind::device));
  memory.set(from + 16, 1, 32);
  memory.set(to, 2, 256);
  memory.copy(to, from, 64);
  const auto found = memory.find(reinterpret_cast<std::uint64_t>(to));
  REQUIRE(found);
  const WrittenBytes& written =
      *found->written;  // NOLINT(bugprone-unchecked-optional-access): required above
  CHECK(written.first_unwritten(0, 256) == 0);
  CHECK(written.first_written(0, 256) == 16);
  CHECK(written.first_unwritten(16, 240) == 48);
  CHECK(written.first_written(48, 208) == 64);
  CHECK(written.first_unwritten(64, 192) == 256);
}
