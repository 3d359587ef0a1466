#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/dram/channel.hpp"
#include "model/dram/memories.hpp"

using namespace weft::model::dram;

namespace {

/// A bank that shares its parts down to this level with bank 0, and no smaller part; or, as a sibling, that
/// shares all but this level's. The same bank, if the memory has no such other one.
int partner(const Organization& parts, Level level, bool sibling) {
  Place place;
  if (sibling) {
    place.stack = parts.stacks - 1;
  } else if (level == Level::channel) {
    place.pseudo_channel = parts.pseudo_channels - 1;
  } else if (level == Level::pseudo_channel) {
    place.stack = parts.stacks - 1;
    place.group = parts.groups - 1;
  } else if (level == Level::stack) {
    place.group = parts.groups - 1;
  } else if (level == Level::group) {
    place.bank = parts.banks - 1;
  }
  return parts.bank_of(place);
}

/// A bank that shares less than this level with bank 0; -1 if there is none.
int stranger(const Organization& parts, Level level) {
  Place place;
  if (level == Level::bank) {
    place.bank = parts.banks - 1;
  } else if (level == Level::group) {
    place.group = parts.groups - 1;
  } else if (level == Level::pseudo_channel) {
    place.pseudo_channel = parts.pseudo_channels - 1;
  }
  const int bank = parts.bank_of(place);
  return bank == 0 ? -1 : bank;
}

std::vector<Command> members(const Commands& commands) {
  std::vector<Command> found;
  for (int command = 0; command < command_count; ++command) {
    if (commands.contains(static_cast<Command>(command))) found.push_back(static_cast<Command>(command));
  }
  return found;
}

TEST_CASE("each rule alone holds where it should and nowhere else, to the tick") {
  for (const Memory& memory : {h200, h100, hbm2, gddr6, textbook(20)}) {
    Memory any_edge = memory;
    any_edge.bus.edge = 1;
    const Organization& parts = memory.organization;
    for (const Constraint& rule : constraints(memory)) {
      if ((rule.siblings && parts.stacks == 1) || (rule.window > 1 && rule.ticks == 0)) continue;
      const int other = partner(parts, rule.level, rule.siblings);
      const int none = rule.siblings ? 0 : stranger(parts, rule.level);
      for (const Command from : members(rule.from)) {
        for (const Command to : members(rule.to)) {
          Channel channel(any_edge, std::span(&rule, 1));
          INFO(memory.name, " level ", static_cast<int>(rule.level), " from ", static_cast<int>(from), " to ",
               static_cast<int>(to));
          constexpr Tick start = 1000;
          for (int n = 1; n < rule.window; ++n) {
            channel.issue(from, 0, 0, start - 1 + n);
            CHECK(channel.ready(to, other) == 0);
          }
          channel.issue(from, 0, 0, start + rule.window - 1);
          const Tick first = rule.window > 1 ? start : start + rule.window - 1;
          CHECK(channel.ready(to, other) == first + rule.ticks);
          if (none >= 0) CHECK(channel.ready(to, none) == 0);
        }
      }
    }
  }
}

/// HBM3 at 6.4 Gb/s in half clocks of 312.5 ps, typed again from its sources.
TEST_CASE("HBM3 refuses every command a tick before its time, and takes it then") {
  using enum Command;
  constexpr int same = 0, neighbour = 1, group = 4, stack = 16, pseudo = 32;
  struct Step {
    Command command;
    int bank;
    Tick tick;
    std::int64_t row = 0;
  };
  struct Case {
    std::string_view name;
    std::vector<Step> before;
    Step next;  // at the first tick that it is accepted
  };
  const std::vector<Case> cases{
      {"tRCDRD 31 clocks", {{activate, same, 0}}, {read, same, 62}},
      {"tRCDWR 15 clocks", {{activate, same, 0}}, {write, same, 30}},
      {"tRAS 45 clocks", {{activate, same, 0}}, {precharge, same, 90}},
      {"tRC 72 clocks", {{activate, same, 0}, {precharge, same, 90}}, {activate, same, 144}},
      {"tRP 26 clocks", {{activate, same, 0}, {precharge, same, 120}}, {activate, same, 172}},
      {"tRTP 9 clocks", {{activate, same, 0}, {read, same, 80}}, {precharge, same, 98}},
      {"CWL + BL + tWR, 10 + 2 + 33 clocks",
       {{activate, same, 0}, {write, same, 30}},
       {precharge, same, 120}},
      {"tCCDL 4 clocks", {{activate, same, 0}, {read, same, 62}}, {read, same, 70}},
      {"tCCDL of a neighbour",
       {{activate, same, 0}, {activate, neighbour, 10}, {read, same, 80}},
       {read, neighbour, 88}},
      {"tCCDS 2 clocks", {{activate, same, 0}, {activate, group, 8}, {read, same, 80}}, {read, group, 84}},
      {"tCCDR 3 clocks", {{activate, same, 0}, {activate, stack, 8}, {read, same, 80}}, {read, stack, 86}},
      {"tCCDS between writes of two stacks",
       {{activate, same, 0}, {activate, stack, 8}, {write, same, 80}},
       {write, stack, 84}},
      {"tRRDL 5 clocks", {{activate, same, 0}}, {activate, neighbour, 10}},
      {"tRRDS 4 clocks", {{activate, same, 0}}, {activate, group, 8}},
      {"tFAW 24 clocks",
       {{activate, same, 0}, {activate, group, 8}, {activate, 8, 16}, {activate, 12, 24}},
       {activate, stack, 48}},
      {"tFAW again, from the second activation",
       {{activate, same, 0},
        {activate, group, 10},
        {activate, 8, 18},
        {activate, 12, 26},
        {activate, stack, 48}},
       {activate, stack + 4, 58}},
      {"tRTW 20 clocks", {{activate, same, 0}, {read, same, 62}}, {write, same, 102}},
      {"CWL + BL + tWTRL, 10 + 2 + 10 clocks", {{activate, same, 0}, {write, same, 62}}, {read, same, 106}},
      {"CWL + BL + tWTRS, 10 + 2 + 7 clocks",
       {{activate, same, 0}, {activate, group, 8}, {write, same, 80}},
       {read, group, 118}},
      {"tPPD 2 clocks",
       {{activate, same, 0}, {activate, group, 8}, {precharge, same, 120}},
       {precharge, group, 124}},
      {"tRFCpb 240 ns", {{refresh_bank, same, 0}}, {activate, same, 768}},
      {"tRFCpb to the next", {{refresh_bank, same, 0}}, {refresh_bank, same, 768}},
      {"tRREFD 8 ns, 13 clocks", {{refresh_bank, same, 0}}, {activate, group, 26}},
      {"tRREFD to the next", {{refresh_bank, same, 0}}, {refresh_bank, group, 26}},
      {"tRRDS before a refresh", {{activate, same, 0}}, {refresh_bank, group, 8}},
      {"tRC before a refresh", {{activate, same, 0}, {precharge, same, 90}}, {refresh_bank, same, 144}},
      {"tRP before a refresh", {{activate, same, 0}, {precharge, same, 120}}, {refresh_bank, same, 172}},
      {"tRFCab 410 ns", {{refresh_all, same, 0}}, {activate, stack, 1312}},
      {"tRFCab to the next", {{refresh_all, same, 0}}, {refresh_all, same, 1312}},
      {"tRFCab before one bank's", {{refresh_all, same, 0}}, {refresh_bank, same, 1312}},
      {"tRFCpb before all banks'", {{refresh_bank, same, 0}}, {refresh_all, same, 768}},
      {"tRC before all banks'", {{activate, same, 0}, {precharge, same, 90}}, {refresh_all, group, 144}},
      {"tRP before all banks'", {{activate, same, 0}, {precharge, same, 120}}, {refresh_all, group, 172}},
      {"an activation on the row wires: a clock and a half, on edges",
       {{activate, same, 0}},
       {activate, pseudo, 4}},
      {"a precharge after it", {{activate, same, 0}, {activate, pseudo, 90}}, {precharge, same, 91}},
      {"an activation after a precharge: from the clock before",
       {{activate, same, 0}, {precharge, same, 93}},
       {activate, pseudo, 96}},
      {"two refreshes on the row wires", {{refresh_bank, same, 0}}, {refresh_bank, pseudo, 1}},
      {"a read on the column wires: a clock",
       {{activate, same, 0}, {activate, pseudo, 4}, {read, same, 80}},
       {read, pseudo, 82}},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    Channel channel(h200);
    for (const Step& step : test.before) {
      REQUIRE(channel.accepts(step.command, step.bank, step.row, step.tick));
      channel.issue(step.command, step.bank, step.row, step.tick);
    }
    const Step& next = test.next;
    const Tick last = test.before.back().tick;
    for (Tick tick = last; tick < next.tick; ++tick) {
      REQUIRE_FALSE(channel.accepts(next.command, next.bank, next.row, tick));
    }
    CHECK(channel.accepts(next.command, next.bank, next.row, next.tick));
  }
}

TEST_CASE("a bank's state is kept, whatever the time") {
  using enum Command;
  Channel channel(h200);
  constexpr Tick late = 1'000'000;
  CHECK_FALSE(channel.accepts(read, 0, 0, late));
  CHECK_FALSE(channel.accepts(read, 0, no_row, late));
  CHECK_FALSE(channel.accepts(precharge, 0, 0, late));
  CHECK(channel.accepts(activate, 0, 7, 0));
  channel.issue(activate, 0, 7, 0);
  CHECK(channel.open_row(0) == 7);
  CHECK(channel.accepts(read, 0, 7, late));
  CHECK_FALSE(channel.accepts(read, 0, 7, late + 1));  // not on an edge
  CHECK_FALSE(channel.accepts(write, 0, 8, late));
  CHECK_FALSE(channel.accepts(activate, 0, 8, late));
  CHECK_FALSE(channel.accepts(refresh_bank, 0, no_row, late));
  CHECK_FALSE(channel.accepts(refresh_all, 5, no_row, late));
  CHECK(channel.accepts(refresh_bank, 1, no_row, late));
  CHECK(channel.accepts(refresh_all, 32, no_row, late));
  CHECK(channel.accepts(precharge, 0, no_row, late));
  channel.issue(precharge, 0, no_row, late);
  CHECK(channel.open_row(0) == no_row);
}

TEST_CASE("times are whole clocks, rounded up") {
  CHECK(h200.timing.rrefd == 2 * 13);
  CHECK(h100.timing.rrefd == 2 * 11);  // 8 ns × 1.3095 GHz = 10.5
  CHECK(h100.timing.ccd_l == 2 * 4);   // 2.5 ns would be 3.3: the least is 4
  CHECK(hbm2.timing.rp == 14);
  CHECK(gddr6.timing.refi == 3325);  // 1.9 µs × 1.75 GHz
}

}  // namespace
