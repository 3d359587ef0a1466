#include "model/explorer.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <stdexcept>

namespace {

TEST_CASE("what the model says of patterns whose counts are known") {
  struct Known {
    int width, offset, stride, lanes;
    int requests, sectors, lines, wanted_bytes, tag_wavefronts, data_wavefronts, shared_load_wavefronts,
        shared_store_wavefronts;
  };
  for (const Known& k : {
           Known{4, 0, 1, 32, 1, 4, 1, 128, 1, 1, 1, 1},
           Known{4, 1, 1, 32, 1, 5, 2, 128, 1, 1, 1, 1},
           Known{4, 0, 2, 32, 1, 8, 2, 128, 1, 2, 2, 2},
           Known{4, 0, 32, 32, 1, 32, 32, 128, 8, 32, 32, 32},
           Known{4, 0, 33, 32, 1, 32, 32, 128, 8, 1, 1, 1},
           Known{4, 0, 0, 32, 1, 1, 1, 4, 1, 1, 1, 1},
           Known{16, 0, 1, 32, 1, 16, 4, 512, 1, 4, 4, 4},
           Known{1, 0, 1, 32, 1, 1, 1, 32, 1, 1, 1, 1},
           Known{4, 0, 1, 7, 1, 1, 1, 28, 1, 1, 1, 1},
           Known{4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
       }) {
    INFO("width ", k.width, " offset ", k.offset, " stride ", k.stride, " lanes ", k.lanes);
    CHECK(weft_requests(k.width, k.offset, k.stride, k.lanes) == k.requests);
    CHECK(weft_sectors(k.width, k.offset, k.stride, k.lanes) == k.sectors);
    CHECK(weft_lines(k.width, k.offset, k.stride, k.lanes) == k.lines);
    CHECK(weft_wanted_bytes(k.width, k.offset, k.stride, k.lanes) == k.wanted_bytes);
    CHECK(weft_tag_wavefronts(k.width, k.offset, k.stride, k.lanes) == k.tag_wavefronts);
    CHECK(weft_data_wavefronts(k.width, k.offset, k.stride, k.lanes) == k.data_wavefronts);
    CHECK(weft_shared_load_wavefronts(k.width, k.offset, k.stride, k.lanes) == k.shared_load_wavefronts);
    CHECK(weft_shared_store_wavefronts(k.width, k.offset, k.stride, k.lanes) == k.shared_store_wavefronts);
  }
  CHECK(weft_address(4, 1, 33, 32, 31) == 4 * (1 + 33 * 31));
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

TEST_CASE("a walk touches a line for each stride, or each line") {
  CHECK(weft_walk_lines(20, 7) == 8192);
  CHECK(weft_walk_lines(20, 3) == 8192);
  CHECK(weft_walk_lines(20, 12) == 256);
  CHECK(weft_walk_lines(36, 7) == 1 << 29);
  CHECK(weft_walk_lines(10, 21) == 1);
  CHECK(weft_walk_loads_of_sector(20, 3) == 4);
  CHECK(weft_walk_loads_of_fetch(20, 3) == 8);
  CHECK(weft_walk_loads_of_sector(20, 5) == 1);
  CHECK(weft_walk_loads_of_fetch(20, 5) == 2);
  CHECK(weft_walk_loads_of_fetch(20, 12) == 1);
}

TEST_CASE("a page knows what a launch takes of a multiprocessor, and what there is") {
  // Blocks, registers, shared memory, warps and barriers of an H200: 256 threads with 103 registers, which
  // are rounded up to 104, and 8 KiB, to which the system adds one.
  struct Known {
    int limit, taken, available;
  };
  const Known known[] = {{32, 1, 32}, {2, 26624, 65536}, {25, 9216, 233472}, {8, 8, 64}, {64, 1, 64}};
  for (int resource = 0; resource < 5; ++resource) {
    INFO("resource ", resource);
    CHECK(weft_occupancy_limit(90, 256, 103, 8192, resource) == known[resource].limit);
    CHECK(weft_occupancy_taken(90, 256, 103, 8192, resource) == known[resource].taken);
    CHECK(weft_occupancy_available(90, 256, 103, 8192, resource) == known[resource].available);
  }
  CHECK(weft_occupancy_blocks(90, 256, 103, 8192) == 2);
  CHECK(weft_occupancy_warps(90, 256, 103, 8192) == 16);
  CHECK(weft_occupancy_waves(90, 256, 103, 8192, 1056, 132) == 4);
  CHECK_THROWS_AS(weft_occupancy_blocks(35, 256, 103, 8192), std::invalid_argument);
}

TEST_CASE("a width that no instruction has is refused") {
  CHECK_THROWS_AS(weft_sectors(3, 0, 1, 32), std::invalid_argument);
}

}  // namespace
