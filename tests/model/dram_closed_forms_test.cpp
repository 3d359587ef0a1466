#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "dram_streams.hpp"
#include "model/cards.hpp"
#include "model/dram/runs.hpp"

using namespace weft::model::dram;

namespace {

TEST_CASE("one read of an idle memory takes tRCD, CL and its burst") {
  for (const Memory& memory : {h200, h100, hbm2, gddr6, textbook(20)}) {
    INFO(memory.name);
    const Served served = serve(memory, {}, 1, [](std::int64_t) { return Request{}; });
    const Timing& t = memory.timing;
    CHECK(served.end == t.rcd_read + t.cl + t.burst);
    REQUIRE(served.trace.size() == 2);
    CHECK(served.trace[0].command == Command::activate);
    CHECK(served.trace[1].command == Command::read);
  }
}

TEST_CASE("the pins give what the cards' makers say") {
  const weft::model::Card& card = *weft::model::find_card("H200");
  const double pins = 2e3 * card.memory_clock_khz * card.bus_bits / 8 / 1e9;
  CHECK(h200.peak() == doctest::Approx(pins).epsilon(0.001));
  CHECK(h200.organization.channels * 64 == card.bus_bits);
  CHECK(h200.organization.bytes() == std::int64_t{141} << 30);
  CHECK(h100.peak() == doctest::Approx(3352).epsilon(0.001));  // 5120 bits at 2.619 GHz
  CHECK(h100.organization.bytes() == std::int64_t{80} << 30);
  CHECK(hbm2.peak() == doctest::Approx(256));
  CHECK(gddr6.peak() == doctest::Approx(448));
  CHECK(textbook(20).peak() == doctest::Approx(16));
  for (const Memory& memory : {h200, h100, hbm2}) CHECK(memory.organization.row_bytes() == 1024);
  CHECK(gddr6.organization.row_bytes() == 2048);
}

TEST_CASE(
    "a memory without a fit has the table's times but for tRC and tREFI, an adjusted one another tFAW") {
  struct Case {
    const Memory &table, &unfitted, &adjusted;
  };
  for (const Case& card :
       {Case{h200, h200_unfitted, h200_adjusted}, Case{h100, h100_unfitted, h100_adjusted}}) {
    CHECK(card.unfitted.organization.bytes() == card.table.organization.bytes());
    CHECK(card.adjusted.organization.bytes() == card.table.organization.bytes());
    for (const Given& given : card.table.given) {
      INFO(card.table.name, " ", given.symbol);
      const bool measured = given.time == &Timing::rc || given.time == &Timing::refi;
      const bool fitted = given.time == &Timing::faw;
      const auto same = [&](const Memory& one, const Memory& other) {
        return one.timing.*given.time == other.timing.*given.time;
      };
      CHECK(same(card.unfitted, card.table) != measured);
      CHECK(same(card.adjusted, card.unfitted) != fitted);
    }
  }
}

TEST_CASE("a stream of rows fills the pins") {
  for (const Memory& memory : real) {
    INFO(memory.name);
    const Served served =
        serve(memory, {.queue = 32}, 3'000, [&](std::int64_t n) { return row_after_row(memory, n); });
    CHECK(share_of_pins(memory, served) == near(1));
  }
}

/// One burst of a row, then of another bank's: in the first pseudo-channel alone, or in all of them.
Served rows_in_turn(const Memory& memory, const Channel& channel, int pseudo_channels) {
  const int step = memory.organization.pseudo_channels / pseudo_channels;
  return serve(memory, {}, channel, 20'000, [&](std::int64_t n) {
    Request request = row_after_row(memory, n * step);
    request.bursts = 1;
    return request;
  });
}

double ticks_of_row(const Timing& t) {
  return std::max(static_cast<double>(t.faw) / 4, static_cast<double>(t.rrd_s));
}

TEST_CASE("rows of one pseudo-channel in turn: four in tFAW, one in tRRD") {
  for (const Memory& memory : real) {
    INFO(memory.name);
    const Served served = rows_in_turn(memory, Channel(memory), 1);
    CHECK(served.ticks_per_burst() == near(ticks_of_row(memory.timing)));
  }
}

TEST_CASE(
    "the row wires of HBM2 open and close one row in three clocks for two pseudo-channels, those of HBM3 in "
    "two") {
  CHECK(rows_in_turn(hbm2, Channel(hbm2), 2).ticks_per_burst() == near(3));
  CHECK(rows_in_turn(h200, Channel(h200), 2).ticks_per_burst() == near(ticks_of_row(h200.timing) / 2));
}

TEST_CASE("rows of one bank in turn: one in tRC, or in tRAS and tRP") {
  for (const Memory& memory : {h200, h100, hbm2, gddr6, textbook(20)}) {
    for (const Page page : {Page::open, Page::closed}) {
      INFO(memory.name);
      const Served served = serve(memory, {.page = page}, 2'000, [](std::int64_t n) {
        Request request;
        request.row = n;
        return request;
      });
      const Timing& t = memory.timing;
      const auto each = static_cast<double>(std::max(t.rc, t.ras + t.rp));
      CHECK(served.ticks_per_burst() == near(each));
    }
  }
}

// What simulators of others were found to do wrong.

TEST_CASE("a mistake: bursts counted in another unit") {
  // Ramulator 2.0 gave HBM2's burst four clocks (issue 104): half of the bandwidth.
  Memory slow = hbm2;
  slow.timing.burst = slow.timing.ccd_s = 4;
  CHECK(slow.peak() == doctest::Approx(hbm2.peak() / 2));
  CHECK(serve(slow, {.queue = 32}, 3'000, [&](std::int64_t n) {
          return row_after_row(slow, n);
        }).ticks_per_burst() == near(2));
  // It gave HBM3 a clock of half the pin rate instead of a quarter.
  Memory fast = h200;
  fast.bits_per_clock = 2;
  CHECK(fast.peak() == doctest::Approx(2 * h200.peak()));
}

TEST_CASE("a mistake: the bits inside a burst dropped twice") {
  // Ramulator 2.1 took three bits from HBM3's columns, which count bursts as they are (issue 116).
  Memory narrow = h100;
  narrow.organization.columns /= 8;
  CHECK(narrow.organization.bytes() != std::int64_t{80} << 30);
  CHECK(narrow.organization.row_bytes() != 1024);
}

TEST_CASE("a mistake: pseudo-channels that wait for each other") {
  // DRAMSys kept tCCDR between HBM2's pseudo-channels (issue 58); here it is every rule of a pseudo-channel.
  auto table = constraints(h200);
  for (Constraint& constraint : table) {
    if (constraint.level == Level::pseudo_channel) constraint.level = Level::channel;
  }
  const Channel coupled(h200, table);
  const Served served =
      serve(h200, {.queue = 32}, coupled, 3'000, [&](std::int64_t n) { return row_after_row(h200, n); });
  CHECK(share_of_pins(h200, served) == near(0.5));
}

TEST_CASE("a mistake: tFAW after each activation from the fourth on") {
  auto table = constraints(h200);
  for (Constraint& constraint : table) constraint.window = 1;
  const Served served = rows_in_turn(h200, Channel(h200, table), 1);
  CHECK(served.ticks_per_burst() == near(h200.timing.faw));
}

TEST_CASE("one bank of the textbook's memory gives 1 / (R + 1) of the bus, R + 1 banks fill it") {
  for (const int banks : {1, 2, 20, 21, 32}) {
    const Memory memory = textbook(20, banks);
    const Served served = serve(memory, {.page = Page::closed}, 21'000, [&](std::int64_t n) {
      Request request;
      request.bank = static_cast<int>(n % banks);
      request.row = n;
      return request;
    });
    INFO(banks);
    CHECK(share_of_pins(memory, served) == near(std::min(1.0, banks / 21.0)));
  }
}

TEST_CASE("first-ready serves a row's hits before a conflict, first-come does not") {
  const auto two_rows_in_turn = [](std::int64_t n) {
    Request request;
    request.row = n % 2;
    request.column = static_cast<int>(n / 2 % 32);
    return request;
  };
  const Served ready = serve(h200, {Scheduler::first_ready}, 64, two_rows_in_turn);
  const Served come = serve(h200, {Scheduler::first_come}, 64, two_rows_in_turn);
  const auto opened = [](const Served& served) {
    return std::count_if(served.trace.begin(), served.trace.end(),
                         [](const Issued& line) { return line.command == Command::activate; });
  };
  CHECK(opened(ready) == 2);
  CHECK(opened(come) == 64);
}

TEST_CASE("a closed page is closed without a request, an open one is not") {
  const Requests alone = [](std::int64_t n) {
    Request request;
    request.arrival = 10'000 * n;
    return request;
  };
  CHECK(serve(h200, {.page = Page::open}, 3, alone).trace.size() == 1 + 3);
  CHECK(serve(h200, {.page = Page::closed}, 3, alone).trace.size() == 3 + 3 + 2);
}

TEST_CASE("addresses are cut into fields and hashed") {
  constexpr std::array fields{Field{Part::column, 3}, Field{Part::pseudo_channel, 1}, Field{Part::group, 2},
                              Field{Part::bank, 2},   Field{Part::stack, 1},          Field{Part::column, 2},
                              Field{Part::row, 14}};
  const Mapping plain{fields, {}};
  static_assert(Mapping{fields, {}}(h100.organization, 0) == Place{});
  const Place last = plain(h100.organization, (std::uint64_t{1} << 30) - 1);
  CHECK(last == Place{0, 1, 1, 3, 3, 16'383, 31});
  CHECK(h100.organization.bank_of(last) == h100.organization.banks_of_channel() - 1);
  CHECK(plain(h100.organization, 32).column == 1);
  CHECK(plain(h100.organization, 256).pseudo_channel == 1);
  CHECK(plain(h100.organization, 1 << 14).column == 8);
  constexpr std::array hashes{Hash{Part::bank, 1, 0b11 << 20}};
  const Mapping hashed{fields, hashes};
  CHECK(hashed(h100.organization, 1 << 20).bank == 2);
  CHECK(hashed(h100.organization, 3 << 20).bank == 0);
}

TEST_CASE("random runs: no more than the pins, no less for a longer run, and none below a burst") {
  for (const Memory& memory : {h200, h100}) {
    double before = 0;
    for (std::int64_t bytes = 32; bytes <= 1024; bytes *= 2) {
      const double rate = random_runs(memory, {.page = Page::closed}, bytes, 20'000);
      CHECK(rate < memory.peak());
      CHECK(rate > 0.99 * before);
      before = rate;
    }
    const Policy policy{.page = Page::closed};
    CHECK(random_runs(memory, policy, 8, 20'000) == near(random_runs(memory, policy, 32, 20'000) / 4));
  }
  CHECK_THROWS_AS(static_cast<void>(random_runs(h200, {}, 0)), std::invalid_argument);
}

TEST_CASE("random bursts of both pseudo-channels reach what tFAW allows") {
  for (const Memory& memory : {h200, h100}) {
    INFO(memory.name);
    const Organization& parts = memory.organization;
    const double ns_of_row = ticks_of_row(memory.timing) * memory.tick_ns();
    const double most =
        parts.burst_bytes / ns_of_row * parts.pseudo_channels * static_cast<double>(parts.channels);
    CHECK(random_runs(memory, {.page = Page::closed, .queue = 128}, 32) == near(most));
  }
}

TEST_CASE("an arrival between two edges keeps no command off its edge") {
  const Served served = serve(h200, {}, 2, [](std::int64_t n) {
    Request request;
    request.arrival = 1'001 * n;
    return request;
  });
  REQUIRE(served.trace.size() == 3);
  CHECK(served.trace[2].tick == 1'002);
}

TEST_CASE("what cannot be simulated is refused") {
  CHECK_THROWS_AS(Controller(h200, {.queue = 0}), std::invalid_argument);
  CHECK_THROWS_AS(Controller(h200, {.queue = most_waiting + 1}), std::invalid_argument);
  CHECK_THROWS_AS(Channel(textbook(20, 65)), std::invalid_argument);
}

}  // namespace

TEST_CASE("reading and writing by turns costs what the bus rests at the two turns") {
  for (const Memory& memory : {h200, h100}) {
    const Timing& t = memory.timing;
    const Organization& parts = memory.organization;
    for (const int bursts : {8, 16, 64}) {
      constexpr int turns = 200;
      const Served served =
          serve(memory, {Scheduler::first_come}, std::int64_t{turns} * bursts, [&](std::int64_t n) {
            Request request;
            request.bank = parts.bank_of({0, 0, 0, static_cast<int>(n % parts.groups), 0, 0, 0});
            request.column = static_cast<int>(n / parts.groups % parts.columns);
            request.write = n / bursts % 2 == 1;
            return request;
          });
      const Tick to_writing = t.rtw + t.cwl - t.cl - t.burst;
      const Tick to_reading = t.wtr_s + t.cl;
      const double expected = bursts * t.burst + (to_writing + to_reading) / 2.;
      CHECK(static_cast<double>(served.end) / turns == doctest::Approx(expected).epsilon(0.01).scale(0));
    }
  }
}
