#include "model/explorer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "model/access.hpp"
#include "model/address_bits.hpp"
#include "model/bus.hpp"
#include "model/coarsening.hpp"
#include "model/interleaving.hpp"
#include "model/l1.hpp"
#include "model/occupancy.hpp"
#include "model/refuse.hpp"
#include "model/shared.hpp"
#include "model/walk.hpp"

namespace model = weft::model;

namespace {

model::Lanes pattern(int width, int offset, int stride, int lanes) {
  return {width, [=](int lane) -> model::Element {
            if (lane >= lanes) return {};
            return std::int64_t{offset} + std::int64_t{stride} * lane;
          }};
}

model::Walk walk(int log_bytes, int log_stride) {
  return {std::int64_t{1} << log_bytes, std::int64_t{1} << log_stride};
}

/// A walk through the textbook's DRAM; a burst is one byte here, for only its number matters.
struct BurstWalk {
  model::Interleaving placement;
  std::int64_t stride;

  BurstWalk(int channels, int banks, int bank_first, int bursts)
      : placement{1, channels, banks, bank_first != 0 ? model::Turn::bank : model::Turn::channel},
        stride(bursts) {}

  [[nodiscard]] model::BankPlace place(std::int64_t step) const { return placement.place(step * stride); }

  /// What it asks of each bank until it comes to its first place again.
  [[nodiscard]] model::Demand demand() const {
    model::Demand demand;
    std::int64_t step = 0;
    do {
      demand.add(place(step).channel, place(step).bank);
      ++step;
    } while (step * stride % placement.bytes_in_all_banks() != 0);
    return demand;
  }

  [[nodiscard]] model::Share share(int latency) const {
    return demand().share_of_buses({latency, 1}, placement.channels);
  }
};

std::array<model::Burst, 1024> scheduled;

const model::Burst& burst_of(int number) { return scheduled[static_cast<std::size_t>(number)]; }

constexpr model::Bus textbook_bus{64, 1'000'000'000, 2};

model::Occupancy occupancy(int capability, int threads, int registers, int shared) {
  return model::occupancy(model::device_limits(capability / 10, capability % 10),
                          {.threads = threads, .registers = registers, .dynamic_shared = shared});
}

}  // namespace

#ifdef __wasm__
// The module has no exceptions: what would throw, traps.
void weft::refuse(const char*) { __builtin_trap(); }
#endif

int weft_sector_bytes() { return model::sector_bytes; }
int weft_line_bytes() { return model::line_bytes; }
int weft_banks() { return model::banks; }
int weft_word_bytes() { return model::word_bytes; }

int weft_address(int width, int offset, int stride, int lanes, int lane) {
  return static_cast<int>(pattern(width, offset, stride, lanes).address(lane));
}
int weft_sector_of(int address) { return static_cast<int>(model::sector_of(address)); }
int weft_line_of(int address) { return static_cast<int>(model::line_of(address)); }
int weft_word_of(int address) { return static_cast<int>(model::word_of(address)); }
int weft_bank_of(int word) { return model::bank_of(word); }
int weft_lanes_per_phase(int width) { return model::lanes_per_phase(width); }

int weft_requests(int width, int offset, int stride, int lanes) {
  return model::requests(pattern(width, offset, stride, lanes));
}
int weft_sectors(int width, int offset, int stride, int lanes) {
  return model::sectors(pattern(width, offset, stride, lanes));
}
int weft_lines(int width, int offset, int stride, int lanes) {
  return model::lines(pattern(width, offset, stride, lanes));
}
int weft_wanted_bytes(int width, int offset, int stride, int lanes) {
  return model::wanted_bytes(pattern(width, offset, stride, lanes));
}
int weft_tag_wavefronts(int width, int offset, int stride, int lanes) {
  return model::tag_wavefronts(pattern(width, offset, stride, lanes));
}
int weft_data_wavefronts(int width, int offset, int stride, int lanes) {
  return model::data_wavefronts(pattern(width, offset, stride, lanes));
}
int weft_shared_load_wavefronts(int width, int offset, int stride, int lanes) {
  return model::shared_load_wavefronts(pattern(width, offset, stride, lanes));
}
int weft_shared_store_wavefronts(int width, int offset, int stride, int lanes) {
  return model::shared_store_wavefronts(pattern(width, offset, stride, lanes));
}

int weft_walk_lines(int log_bytes, int log_stride) {
  return static_cast<int>(walk(log_bytes, log_stride).pieces(model::line_bytes));
}
int weft_walk_loads_of_sector(int log_bytes, int log_stride) {
  return static_cast<int>(walk(log_bytes, log_stride).loads_of_piece(model::sector_bytes));
}
int weft_walk_loads_of_fetch(int log_bytes, int log_stride) {
  return static_cast<int>(walk(log_bytes, log_stride).loads_of_piece(model::fetch_bytes));
}

int weft_dram_banks_that_fill(int latency) { return static_cast<int>(model::banks_that_fill({latency, 1})); }
int weft_dram_floats_in_all_banks(int burst_floats, int channels, int banks) {
  const model::Interleaving placement{std::int64_t{4} * burst_floats, channels, banks, model::Turn::channel};
  return static_cast<int>(placement.bytes_in_all_banks() / 4);
}

int weft_dram_channels_met(int channels, int banks, int bank_first, int stride) {
  return static_cast<int>(BurstWalk(channels, banks, bank_first, stride).demand().channels_met());
}
int weft_dram_banks_met(int channels, int banks, int bank_first, int stride) {
  return static_cast<int>(BurstWalk(channels, banks, bank_first, stride).demand().banks_met());
}
int weft_dram_busy(int latency, int channels, int banks, int bank_first, int stride) {
  const model::Share share = BurstWalk(channels, banks, bank_first, stride).share(latency);
  return static_cast<int>((1000 * share.part + share.whole / 2) / share.whole);
}
int weft_dram_megabytes(int latency, int channels, int banks, int bank_first, int stride) {
  const model::Share share = BurstWalk(channels, banks, bank_first, stride).share(latency);
  const std::int64_t all = textbook_bus.bandwidth() / 1'000'000 * channels;
  return static_cast<int>((all * share.part + share.whole / 2) / share.whole);
}

int weft_dram_schedule(int latency, int channels, int banks, int bank_first, int stride, int bursts) {
  const std::size_t count = std::min(static_cast<std::size_t>(bursts), scheduled.size());
  const BurstWalk walk(channels, banks, bank_first, stride);
  for (std::size_t number = 0; number < count; ++number) {
    const auto step = static_cast<std::int64_t>(number);
    const model::BankPlace place = walk.place(step);
    scheduled[number] = {place.channel, place.bank, step / channels};
  }
  model::schedule({latency, 1}, std::span(scheduled).first(count));
  return static_cast<int>(count);
}
int weft_dram_channel(int burst) { return static_cast<int>(burst_of(burst).channel); }
int weft_dram_bank(int burst) { return static_cast<int>(burst_of(burst).bank); }
int weft_dram_begin(int burst) { return static_cast<int>(burst_of(burst).begin); }
int weft_dram_moved(int burst) { return static_cast<int>(burst_of(burst).moved); }

int weft_occupancy_blocks(int capability, int threads, int registers, int shared) {
  return occupancy(capability, threads, registers, shared).blocks;
}
int weft_occupancy_warps(int capability, int threads, int registers, int shared) {
  return occupancy(capability, threads, registers, shared).warps;
}
int weft_occupancy_limit(int capability, int threads, int registers, int shared, int resource) {
  return occupancy(capability, threads, registers, shared).limits[static_cast<std::size_t>(resource)];
}
int weft_occupancy_taken(int capability, int threads, int registers, int shared, int resource) {
  const model::Occupancy found = occupancy(capability, threads, registers, shared);
  return static_cast<int>(found.taken[static_cast<std::size_t>(resource)]);
}
int weft_occupancy_available(int capability, int threads, int registers, int shared, int resource) {
  const model::Occupancy found = occupancy(capability, threads, registers, shared);
  return static_cast<int>(found.available[static_cast<std::size_t>(resource)]);
}
double weft_occupancy_waves(int capability, int threads, int registers, int shared, int grid,
                            int multiprocessors) {
  return model::waves(grid, occupancy(capability, threads, registers, shared).blocks, multiprocessors);
}

int weft_coarsened_blocks(int size, int side, int factor) {
  return static_cast<int>(model::SquareProduct{size, side, factor}.blocks());
}
int weft_coarsened_loads(int size, int side, int factor) {
  return static_cast<int>(model::SquareProduct{size, side, factor}.loads_of_element());
}
int weft_coarsened_shared(int side, int factor) {
  return static_cast<int>(model::SquareProduct{0, side, factor}.shared_bytes());
}
int weft_coarsened_most(int blocks, int multiprocessors) {
  return static_cast<int>(model::most_blocks(blocks, multiprocessors));
}

int weft_first_line_bit() { return model::first_line_bit; }
int weft_page_bits() { return model::page_bits; }
int weft_parity(int difference, int mask) {
  return model::is_odd(static_cast<std::uint32_t>(difference), static_cast<std::uint32_t>(mask)) ? 1 : 0;
}
int weft_differences_with(int parities, int odd) { return model::differences_with(parities, odd); }
