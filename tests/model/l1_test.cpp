// The law of the L1 against loads that hit, recorded on an NVIDIA H200.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/l1.hpp"
#include "random_lanes.hpp"

using namespace weft::model;

namespace {

// A row of floats, of float4, and 32 rows, a multiple of 128 bytes and a float more apart.
constexpr Lanes row(4, [](int lane) { return lane; });
constexpr Lanes wide_row(16, [](int lane) { return lane; });
constexpr Lanes column(4, [](int lane) { return lane * 8192; });
constexpr Lanes padded_column(4, [](int lane) { return lane * 8193; });
static_assert(tag_wavefronts(row) == 1 && data_wavefronts(row) == 1 && l1_cycles(row) == 2);
static_assert(tag_wavefronts(wide_row) == 1 && data_wavefronts(wide_row) == 4 && l1_cycles(wide_row) == 4);
static_assert(tag_wavefronts(column) == 8 && data_wavefronts(column) == 32 && l1_cycles(column) == 32);
static_assert(tag_wavefronts(padded_column) == 8 && data_wavefronts(padded_column) == 1);
static_assert(l1_cycles(padded_column) == 8);

constexpr Lanes no_lane(4, [](int) { return Element{}; });
static_assert(tag_wavefronts(no_lane) == 0 && data_wavefronts(no_lane) == 0 && l1_cycles(no_lane) == 0);

struct Hit {
  std::string pattern;
  Lanes lanes;
  double tag_wavefronts, data_wavefronts, cycles;
};

std::vector<Hit> read_hits() {
  std::ifstream file(RECORDED_HITS);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " RECORDED_HITS);
  std::vector<Hit> hits;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::vector<std::string> row;
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    if (row.size() != 8) throw std::runtime_error("not 8 fields: " + line);
    const int width = std::stoi(row[0]);
    std::istringstream offsets(row[2]);
    Elements elements;
    for (Element& element : elements) {
      std::int64_t offset = 0;
      if (!(offsets >> offset)) throw std::runtime_error("not 32 lanes: " + line);
      if (offset >= 0) element = offset / width;  // -1: takes no part
    }
    hits.push_back({std::to_string(width) + " bytes, " + row[1], lanes_of(width, elements), std::stod(row[5]),
                    std::stod(row[6]), std::stod(row[7])});
  }
  return hits;
}

TEST_CASE("the law of the L1 gives the wavefronts that an H200 counted") {
  const std::vector<Hit> hits = read_hits();
  CHECK(hits.size() == 270);
  for (const Hit& hit : hits) {
    CAPTURE(hit.pattern);
    CHECK(tag_wavefronts(hit.lanes) == std::lround(hit.tag_wavefronts));
    CHECK(data_wavefronts(hit.lanes) == std::lround(hit.data_wavefronts));
  }
}

TEST_CASE("the law of the L1 gives the cycles of loads of 4 bytes and more") {
  int loads = 0;
  int near = 0;
  for (const Hit& hit : read_hits()) {
    if (hit.lanes.width() < 4) continue;
    ++loads;
    near += std::abs(l1_cycles(hit.lanes) / hit.cycles - 1) <= 0.15 ? 1 : 0;
  }
  CHECK(loads > 200);
  CHECK(near >= 0.95 * loads);
}

TEST_CASE("a line lies in one of four tag banks, and 2 MiB are spread evenly over them") {
  std::int64_t lines_in[tag_banks]{};
  constexpr std::int64_t all = (std::int64_t{2} << 20) / line_bytes;
  for (std::int64_t line = 0; line < all; ++line) ++lines_in[tag_bank_of(line)];
  for (const std::int64_t lines : lines_in) CHECK(lines == all / tag_banks);
}

TEST_CASE("tag wavefronts lie between a quarter of the lines and all of them") {
  for_random_elements(random_cases, [](const Elements& elements) {
    for (const int width : widths) {
      const Lanes lanes = lanes_of(width, elements);
      CHECK(tag_wavefronts(lanes) <= weft::model::lines(lanes));
      CHECK(tag_wavefronts(lanes) * tag_banks >= weft::model::lines(lanes));
    }
  });
}

}  // namespace
