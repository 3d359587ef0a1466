#include "emulator/fatbin/images.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

using namespace weft;
using namespace weft::emulator;

namespace {

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string entry(std::uint16_t kind, std::uint32_t architecture, const std::string& payload,
                  std::uint64_t flags = 0, std::uint64_t uncompressed = 0) {
  std::string bytes;
  append<std::uint16_t>(bytes, kind);
  append<std::uint16_t>(bytes, 0x101);
  append<std::uint32_t>(bytes, 64);
  append<std::uint64_t>(bytes, payload.size());
  append<std::uint32_t>(bytes, static_cast<std::uint32_t>(payload.size()));
  append<std::uint64_t>(bytes, 0);
  append<std::uint32_t>(bytes, architecture);
  append<std::uint64_t>(bytes, 0);
  append<std::uint64_t>(bytes, flags);
  append<std::uint64_t>(bytes, 0);
  append<std::uint64_t>(bytes, uncompressed);
  return bytes + payload;
}

std::string fat_binary(const std::string& entries) {
  std::string bytes;
  append<std::uint32_t>(bytes, 0xBA55ED50);
  append<std::uint16_t>(bytes, 1);
  append<std::uint16_t>(bytes, 16);
  append<std::uint64_t>(bytes, entries.size());
  return bytes + entries;
}

std::vector<Image> read(const std::string& bytes) { return unpack(std::as_bytes(std::span(bytes))); }

}  // namespace

TEST_CASE("code for one architecture alone is preferred, on that one") {
  constexpr std::uint64_t specific = 0x100000;
  const auto images =
      read(fat_binary(entry(1, 90, "90a", specific) + entry(1, 90, "90") + entry(1, 80, "80") +
                      entry(2, 90, "sm_90") + entry(2, 90, "sm_90a", specific)));
  CHECK(best_ptx(images, 90)->contents == "90a");
  CHECK(best_ptx(images, 100)->contents == "90");
  CHECK(best_machine_code(images, 90)->contents == "sm_90a");
  CHECK(best_machine_code(read(fat_binary(entry(2, 80, "sm_80a", specific))), 86) == nullptr);
}

TEST_CASE("the PTX that suits best is taken") {
  const auto images = read(fat_binary(entry(1, 75, "seventy-five") + entry(2, 90, "code") +
                                      entry(1, 90, std::string("ninety\0\0", 8)) + entry(1, 100, "hundred")));
  REQUIRE(images.size() == 4);
  CHECK(best_ptx(images, 90)->contents == "ninety");
  CHECK(best_ptx(images, 80)->contents == "seventy-five");
  CHECK(best_ptx(images, 70) == nullptr);
  CHECK(best_machine_code(images, 90)->contents == "code");
  CHECK(best_machine_code(images, 86) == nullptr);
  CHECK(best_machine_code(images, 103) == nullptr);
}

TEST_CASE("a damaged fat binary is refused") {
  const std::string whole = fat_binary(entry(1, 90, "text") + entry(1, 80, "zstd or not", 0x8000, 100));
  CHECK_THROWS_AS(read(whole), std::runtime_error);  // not compressed, though it says so
  CHECK_THROWS_AS(read(fat_binary(entry(1, 90, "text", 0x2000, 1U << 31))), std::runtime_error);
  for (const std::uint64_t compressed : {0x2000, 0x8000}) {  // nothing is made ready for what cannot come
    CHECK_THROWS_WITH_AS(read(fat_binary(entry(1, 90, "text", compressed, 1U << 29))),
                         "its fat binary is damaged: an entry claims more bytes than it can hold",
                         std::runtime_error);
  }
  CHECK_THROWS_AS(read(whole.substr(0, 10)), std::runtime_error);
  CHECK_THROWS_AS(read("something else, of some length"), std::runtime_error);
  const std::string good = fat_binary(entry(1, 90, "text") + entry(2, 90, "code"));
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = good.substr(0, random() % 4 == 0 ? random() % good.size() : good.size());
    if (!damaged.empty()) damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      read(damaged);
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  CHECK(refused > 500);
}
