#pragma once

/// @file
/// What a memory gives to random runs if the address decides about bank and row.

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "model/dram/runs.hpp"

namespace weft::model::dram {

/// Of a channel's addresses: `together` neighbouring bytes lie in one row, then the next ones in another
/// bank. With a burst the banks come first, with all bytes of a row the row does.
/// @throws std::invalid_argument if they are less than a burst or more than a row
constexpr std::array<Field, 7> fields(const Organization& parts, std::int64_t together) {
  if (together < parts.burst_bytes || together > parts.row_bytes())
    refuse("neighbours fill 1 burst to 1 row");
  const auto bits = [](std::int64_t count) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))) - 1;
  };
  const int low = bits(together / parts.burst_bytes);
  return {{{Part::column, low},
           {Part::pseudo_channel, bits(parts.pseudo_channels)},
           {Part::group, bits(parts.groups)},
           {Part::bank, bits(parts.banks)},
           {Part::stack, bits(parts.stacks)},
           {Part::column, bits(parts.columns) - low},
           {Part::row, bits(parts.rows)}}};
}

/// GB/s of the whole memory for reads of aligned runs, from one channel, which stands for all. A run lies in
/// this channel alone. Each request is a burst, they come in the order of their addresses in a run, and the
/// queue is always full.
/// @throws std::invalid_argument if a run is less than a burst, or `together` as in fields()
constexpr double mapped_runs(const Memory& memory, const Policy& policy, std::int64_t together,
                             std::int64_t run_bytes, std::int64_t bursts = 20000) {
  const Organization& parts = memory.organization;
  if (run_bytes < parts.burst_bytes) refuse("a run has at least a burst");
  const auto layout = fields(parts, together);
  const Mapping mapping{layout, {}};
  const std::int64_t runs = (std::int64_t{1} << 30) / run_bytes;  // in the first gibibyte of the channel
  Random random;
  std::int64_t address = 0, left = 0, drawn = 0;
  Tick last = 0;
  Controller controller(memory, policy);
  controller.serve(
      [&]() -> std::optional<Request> {
        if (drawn++ == bursts) return std::nullopt;
        if (left == 0) {
          address = random(runs) * run_bytes;
          left = run_bytes / parts.burst_bytes;
        }
        const Place place = mapping(parts, static_cast<std::uint64_t>(address));
        address += parts.burst_bytes;
        --left;
        return Request{.bank = parts.bank_of(place), .row = place.row, .column = place.column};
      },
      [&](const Issued& line) { last = line.tick; });
  const double ns = static_cast<double>(last + memory.timing.cl + memory.timing.burst) * memory.tick_ns();
  return static_cast<double>(bursts * parts.burst_bytes) / ns * static_cast<double>(parts.channels);
}

}  // namespace weft::model::dram
