// What the emulator counts of the L1's two stages: the law of code/model, at the addresses that it has.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "model/l1.hpp"
#include "run_ptx.hpp"

using namespace weft;
using namespace weft::emulator;

namespace {

/// Loads, by the bytes that a lane accesses, from the address in %g.
const std::map<int, std::string>& loads() {
  static const std::map<int, std::string> all{{1, "ld.global.u8 %x, [%g];"},
                                              {2, "ld.global.u16 %x, [%g];"},
                                              {4, "ld.global.u32 %x, [%g];"},
                                              {8, "ld.global.v2.u32 {%x, %y}, [%g];"},
                                              {16, "ld.global.v4.u32 {%x, %y, %z, %w}, [%g];"}};
  return all;
}

/// What a load counts whose lanes' byte offsets from %p1 lie in %p0; all ones: the lane takes no part.
SiteCount count_load(int width, const std::vector<std::uint32_t>& offsets, const Array& memory) {
  const Array places(offsets);
  const Counted counted = run_body(own_word +
                                       ".reg .b32 %x, %y, %z, %w, %e; .reg .b64 %g; .reg .pred %q;\n"
                                       "ld.global.u32 %e, [%o]; setp.eq.u32 %q, %e, -1;\n"
                                       "cvt.u64.u32 %g, %e; add.u64 %g, %g, %p1;\n@%q bra DONE;\n" +
                                       loads().at(width) + "\nDONE:",
                                   {&places, &memory});
  return counted.counts.at(1);
}

TEST_CASE("recorded loads that hit are counted as Nsight Compute counted them") {
  const Array memory(std::vector<std::uint32_t>(1 << 19));
  std::ifstream file(RECORDED_HITS);
  std::string line;
  REQUIRE(std::getline(file, line));
  int cases = 0;
  while (std::getline(file, line)) {
    CAPTURE(line);
    std::istringstream fields(line);
    std::vector<std::string> row;
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    REQUIRE(row.size() == 8);
    std::istringstream numbers(row[2]);
    std::vector<std::uint32_t> offsets;
    for (std::int64_t offset = 0; numbers >> offset;) offsets.push_back(static_cast<std::uint32_t>(offset));
    const SiteCount count = count_load(std::stoi(row[0]), offsets, memory);
    CHECK(count.requests == 1);
    CHECK(static_cast<long>(count.tags) == std::lround(std::stod(row[5])));
    CHECK(static_cast<long>(count.data) == std::lround(std::stod(row[6])));
    ++cases;
  }
  CHECK(cases == 270);
}

/// Warp w's lane l accesses the float `first + w * of_warp + l * of_lane`.
struct Places {
  int first, of_warp, of_lane;
};

TEST_CASE("tag wavefronts are those of each warp's place") {
  constexpr int blocks = 300;
  constexpr int warps = 4 * blocks;
  const Places columns[]{{0, 1, 32}, {0, 1, 256}, {0, 1, 257}, {0, 1, 264}, {0, 1, 320}, {0, 1, 512}};
  const Places rows[]{{1, 32, 1}, {0, 96, 3}, {5, 160, 5}, {0, 224, 7}};
  std::vector<Places> all(std::begin(columns), std::end(columns));
  all.insert(all.end(), std::begin(rows), std::end(rows));
  for (const auto& [first, of_warp, of_lane] : all) {
    CAPTURE(of_warp);
    CAPTURE(of_lane);
    const Array memory(
        std::vector<std::uint32_t>(static_cast<std::size_t>(first + warps * of_warp + 32 * of_lane)));
    const std::string body =
        ".reg .b32 %x, %b, %l, %c; .reg .b64 %o;\n"
        "mov.u32 %b, %ctaid.x; shr.u32 %c, %t, 5; mad.lo.u32 %c, %b, 4, %c; and.b32 %l, %t, 31;\n"
        "mad.lo.u32 %c, %c, " +
        std::to_string(of_warp) + ", " + std::to_string(first) + "; mad.lo.u32 %c, %l, " +
        std::to_string(of_lane) +
        ", %c; mul.wide.u32 %o, %c, 4; add.u64 %o, %o, %p0;\n"
        "ld.global.u32 %x, [%o]; st.global.u32 [%o], %x;";
    const Counted counted = run_body(body, {&memory}, {blocks, 1, 1}, {128, 1, 1});
    std::uint64_t tags = 0;
    std::uint64_t data = 0;
    for (int warp = 0; warp < warps; ++warp) {
      const int start = first + warp * of_warp;
      const model::Lanes lanes(4, [&](int lane) { return start + lane * of_lane; });
      tags += static_cast<std::uint64_t>(model::tag_wavefronts(lanes));
      data += static_cast<std::uint64_t>(model::data_wavefronts(lanes));
    }
    REQUIRE(counted.counts.size() == 2);
    for (const SiteCount& count : counted.counts) {
      CHECK(count.tags == tags);
      CHECK(count.data == data);
    }
  }
}

TEST_CASE("lanes in any order, some of them inactive, are counted as the law says") {
  const Array memory(std::vector<std::uint32_t>(1 << 19));
  std::uint32_t state = 1;
  const auto random = [&] { return (state = state * 1664525U + 1013904223U) >> 8; };
  for (int i = 0; i < 200; ++i) {
    const auto width = 1 << random() % 5;
    const std::uint32_t spread = 1U << (5 + random() % 16);
    std::vector<std::uint32_t> offsets;
    for (int lane = 0; lane < 32; ++lane) {
      const bool active = lane == 0 || random() % 4 != 0;
      offsets.push_back(active ? random() % spread / width * width : ~0U);
    }
    const model::Lanes lanes(width, [&](int lane) -> model::Element {
      const std::uint32_t offset = offsets[static_cast<std::size_t>(lane)];
      if (offset == ~0U) return {};
      return offset / width;
    });
    const SiteCount count = count_load(width, offsets, memory);
    CHECK(static_cast<int>(count.tags) == model::tag_wavefronts(lanes));
    CHECK(static_cast<int>(count.data) == model::data_wavefronts(lanes));
  }
}

TEST_CASE("an allocation starts on a multiple of a power of two that holds it, 2 MiB at least") {
  const Array small(std::vector<std::uint32_t>(3));
  const Array large(std::vector<std::uint32_t>((1 << 20) + 1));
  constexpr std::uint64_t mib = 1 << 20;
  CHECK(small.address() % (2 * mib) == 0);
  CHECK(large.address() % (8 * mib) == 0);
}

}  // namespace
