// A burst of 64 bytes: the banks that fill the bus, the least matrix that lies in all banks, the bytes in
// flight.
//
// Exercise: A burst has 64 bytes, R is still 20. How long is a bank's latency? How many bytes must be on
// their way for 256 GB/s, and does Little's law say the same?
#include "model/bus.hpp"

#include "problem.hpp"

namespace {
// [solution]
constexpr model::Bus bus{64, 1'000'000'000, 2};
constexpr std::int64_t burst_bytes = 64;
constexpr std::int64_t transfer = burst_bytes * 8 / (bus.bits * bus.transfers_per_cycle);  // cycles
constexpr model::BurstTiming timing{20 * transfer, transfer};
constexpr std::int64_t channels = bus.channels_for(256'000'000'000);

static_assert(transfer == 4 && timing.latency == 80);  // 80 cycles at 1 GHz: 80 ns

constexpr std::int64_t in_flight = channels * model::banks_that_fill(timing) * burst_bytes;
constexpr std::int64_t by_littles_law = 256 * (timing.latency + timing.transfer);  // 256 bytes a nanosecond

static_assert(in_flight == 21'504 && by_littles_law == in_flight);
// [solution]

// [width]
/// The least width of a square matrix of floats that lies in all of the toy's banks; a power of two.
constexpr std::int64_t least_width(std::int64_t bytes_of_burst) {
  const model::Interleaving placement{bytes_of_burst, toy.channels, toy.banks, toy.turn};
  std::int64_t width = 1;
  while (width * width * std::int64_t{sizeof(float)} < placement.bytes_in_all_banks()) width *= 2;
  return width;
}
static_assert(least_width(8) == 4 && least_width(32) == 8 && least_width(64) == 16);
// [width]
}  // namespace

void weft::register_steps() { tests_alone(); }

TEST_CASE("a smaller matrix leaves a bank out") {
  for (const std::int64_t bytes : {8, 32, 128, 512}) {
    const model::Interleaving placement{bytes, toy.channels, toy.banks, toy.turn};
    const std::int64_t width = least_width(bytes);
    const std::int64_t last = (width * width - 1) * std::int64_t{sizeof(float)};
    CHECK(placement.place(last) == model::BankPlace{toy.channels - 1, toy.banks - 1});
    CHECK(width / 2 * (width / 2) * std::int64_t{sizeof(float)} < placement.bytes_in_all_banks());
  }
}
