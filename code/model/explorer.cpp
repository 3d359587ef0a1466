#include "model/explorer.hpp"

#include <cstddef>

#include "model/access.hpp"
#include "model/l1.hpp"
#include "model/occupancy.hpp"
#include "model/refuse.hpp"
#include "model/shared.hpp"
#include "model/walk.hpp"

namespace model = weft::model;

namespace {

model::Lanes pattern(int width, int offset, int stride, int lanes) {
  return {width, [=](int lane) -> model::Element {
            if (lane >= lanes) return std::nullopt;
            return std::int64_t{offset} + std::int64_t{stride} * lane;
          }};
}

model::Walk walk(int log_bytes, int log_stride) {
  return {std::int64_t{1} << log_bytes, std::int64_t{1} << log_stride};
}

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
