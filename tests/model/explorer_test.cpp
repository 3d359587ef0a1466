#include "model/explorer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
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

TEST_CASE("the textbook's DRAM: source 003's toy and its example of R = 20") {
  CHECK(weft_dram_banks_that_fill(20) == 21);
  CHECK(weft_dram_floats_in_all_banks(2, 4, 2) == 16);
  CHECK(weft_dram_busy(20, 1, 1, 0, 1) == 48);
  CHECK(weft_dram_megabytes(20, 1, 1, 0, 1) == 762);
  CHECK(weft_dram_megabytes(20, 16, 21, 0, 1) == 256'000);
  CHECK(weft_dram_busy(20, 4, 2, 0, 1) == 95);
}

TEST_CASE("a stride meets only some channels and banks") {
  struct Known {
    int channels, banks, bank_first, stride;
    int channels_met, banks_met;
  };
  for (const Known& k : {Known{4, 2, 0, 1, 4, 8}, Known{4, 2, 0, 2, 2, 4}, Known{4, 2, 0, 4, 1, 2},
                         Known{4, 2, 0, 8, 1, 1}, Known{4, 2, 0, 9, 4, 8}, Known{4, 2, 1, 2, 4, 4},
                         Known{4, 2, 1, 4, 2, 2}, Known{3, 5, 0, 15, 1, 1}, Known{3, 5, 0, 16, 3, 15}}) {
    INFO("channels ", k.channels, " banks ", k.banks, " stride ", k.stride);
    CHECK(weft_dram_channels_met(k.channels, k.banks, k.bank_first, k.stride) == k.channels_met);
    CHECK(weft_dram_banks_met(k.channels, k.banks, k.bank_first, k.stride) == k.banks_met);
  }
}

TEST_CASE("a page sees the timeline of two banks") {
  CHECK(weft_dram_schedule(1, 8, 8, 0, 1, 5000) == 1024);
  CHECK(weft_dram_schedule(20, 1, 2, 0, 1, 4) == 4);
  CHECK(weft_dram_channel(3) == 0);
  CHECK(weft_dram_bank(3) == 1);
  CHECK(weft_dram_begin(3) == 22);
  CHECK(weft_dram_moved(3) == 42);
}

/// When the last of so many bursts has left its bus.
int end_of(int bursts) {
  int end = 0;
  for (int burst = 0; burst < bursts; ++burst) end = std::max(end, weft_dram_moved(burst) + 1);
  return end;
}

TEST_CASE("the share of the buses is that of a long timeline, whatever the stride") {
  for (const int latency : {0, 3, 20}) {
    for (const int channels : {1, 3, 4}) {
      for (const int banks : {1, 2, 5, 8}) {
        for (const int bank_first : {0, 1}) {
          for (int stride = 1; stride <= 18; ++stride) {
            const int half = weft_dram_schedule(latency, channels, banks, bank_first, stride, 480);
            const int before = end_of(half);
            const int all = weft_dram_schedule(latency, channels, banks, bank_first, stride, 960);
            const double busy = static_cast<double>(all - half) / channels / (end_of(all) - before);
            INFO(latency, " ", channels, " ", banks, " ", bank_first, " ", stride);
            CHECK(busy ==
                  doctest::Approx(weft_dram_busy(latency, channels, banks, bank_first, stride) / 1000.0)
                      .epsilon(0.02));
          }
        }
      }
    }
  }
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

TEST_CASE("the explorer's coarsened product divides C into tiles") {
  CHECK(weft_coarsened_blocks(4096, 16, 8) == 32 * 32);
  CHECK(weft_coarsened_loads(4096, 16, 8) == 32);
  CHECK(weft_coarsened_blocks(4097, 16, 8) == 33 * 33);
  CHECK(weft_coarsened_shared(16, 8) == 16'384);
  CHECK(weft_coarsened_most(1024, 132) == 8);
}

TEST_CASE("a parity halves the lines that another one of a page may agree with") {
  CHECK(weft_parity(0b1011 << 7, 0b0011 << 7) == 0);
  CHECK(weft_parity(0b1011 << 7, 0b0110 << 7) == 1);
  CHECK(weft_parity(0, ~0) == 0);
  // Three independent parities, each of them even or odd, against all differences of two lines.
  constexpr std::array masks{0b11 << 7, 0b110 << 7, 0b1'0000'0000'0001 << 7};
  for (int odd = 0; odd < 8; ++odd) {
    int found = 0;
    for (int line = 1; line < 1 << (weft_page_bits() - weft_first_line_bit()); ++line) {
      bool as_given = true;
      for (int one = 0; one < 3; ++one) {
        as_given = as_given && weft_parity(line << weft_first_line_bit(), masks[one]) == (odd >> one & 1);
      }
      found += as_given ? 1 : 0;
    }
    CHECK(found == weft_differences_with(3, std::popcount(static_cast<unsigned>(odd))));
  }
  CHECK(weft_differences_with(0, 0) == 16'383);
  CHECK(weft_differences_with(14, 1) == 1);
  CHECK_THROWS_AS(weft_differences_with(15, 0), std::invalid_argument);
}

}  // namespace
