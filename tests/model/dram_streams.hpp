#pragma once

/// @file
/// Requests that the tests of simulated memories send, and what comes of them.

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/dram/controller.hpp"
#include "model/dram/memories.hpp"

namespace weft::model::dram {

struct Served {
  std::vector<Issued> trace;
  std::int64_t bursts = 0;
  Tick end = 0;  ///< of the last data

  [[nodiscard]] double ticks_per_burst() const { return static_cast<double>(end) / bursts; }
};

using Requests = std::function<Request(std::int64_t)>;

inline Served serve(const Memory& memory, const Policy& policy, const Channel& channel, std::int64_t count,
                    const Requests& request) {
  Served served;
  std::int64_t next = 0;
  Controller controller(memory, policy, channel);
  controller.serve([&] { return next < count ? std::optional(request(next++)) : std::nullopt; },
                   [&](const Issued& line) {
                     served.trace.push_back(line);
                     if (!is_column(line.command)) return;
                     ++served.bursts;
                     const bool reads = line.command == Command::read;
                     served.end =
                         line.tick + (reads ? memory.timing.cl : memory.timing.cwl) + memory.timing.burst;
                   });
  return served;
}

inline Served serve(const Memory& memory, const Policy& policy, std::int64_t count, const Requests& request) {
  return serve(memory, policy, Channel(memory), count, request);
}

/// Whole rows, one after the other: bank after bank, so that neighbours lie in different bank groups.
inline Request row_after_row(const Memory& memory, std::int64_t n) {
  const Organization& parts = memory.organization;
  const int banks = parts.banks_of_channel();
  Request request;
  const auto turn = static_cast<int>(n % banks);  // the pseudo-channel changes first, then the group
  const int half = turn % parts.pseudo_channels;
  const int rest = turn / parts.pseudo_channels;
  request.bank = parts.bank_of({0, half, rest / (parts.groups * parts.banks), rest % parts.groups,
                                rest / parts.groups % parts.banks, 0, 0});
  request.row = n / banks;
  request.bursts = parts.columns;
  return request;
}

/// Of the bandwidth of the channel's pins.
inline double share_of_pins(const Memory& memory, const Served& served) {
  return static_cast<double>(memory.timing.burst) / served.ticks_per_burst() /
         memory.organization.pseudo_channels;
}

inline constexpr std::array real{h200, h200_adjusted, h100, h100_adjusted, hbm2, gddr6};

/// Within a hundredth of the value. (Approx alone allows a hundredth of 1 more.)
inline doctest::Approx near(double value) { return doctest::Approx(value).epsilon(0.01).scale(0); }

}  // namespace weft::model::dram
