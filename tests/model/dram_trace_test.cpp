#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "dram_checker.hpp"
#include "model/dram/memories.hpp"

using namespace weft::model::dram;

namespace {

constexpr int rows = 3;

/// Random bursts of a few rows of every bank, a fourth of them written; some follow each other in one row.
std::vector<Request> random_requests(const Memory& memory, int count, unsigned seed) {
  std::minstd_rand random(seed);
  const int banks = memory.organization.banks_of_channel();
  const int columns = memory.organization.columns;
  std::vector<Request> requests(count);
  for (Request& request : requests) {
    const auto bits = static_cast<std::uint32_t>(random());
    request.bank = static_cast<int>((bits >> 4) % banks);
    request.row = (bits >> 14) % rows;
    request.bursts = std::min(columns, bits % 16 == 0 ? 3 : 1);
    request.column = static_cast<int>((bits >> 18) % (columns - request.bursts + 1));
    request.write = (bits >> 24) % 4 == 0;
  }
  return requests;
}

/// What is wrong with the trace of a controller that believes in this channel.
std::string fault(const Memory& memory, const Policy& policy, const std::vector<Request>& requests,
                  const Channel& channel) {
  TraceChecker checker(memory, requests, policy.scheduler == Scheduler::first_come);
  Controller controller(memory, policy, channel);
  std::size_t next = 0;
  controller.serve(
      [&]() -> std::optional<Request> {
        return next < requests.size() ? std::optional(requests[next++]) : std::nullopt;
      },
      [&](const Issued& line) { checker(line); });
  const bool refreshes = memory.timing.refi > 0;
  return checker.finish(refreshes && policy.refresh == Refresh::all_banks,
                        refreshes && policy.refresh == Refresh::bank_by_bank);
}

TEST_CASE("a million random requests to each memory keep every rule, whatever the policy") {
  for (const Memory& memory : {h200, h100, hbm2, gddr6, textbook(20)}) {
    // An H100 keeps the rules of an H200, at another clock.
    const std::vector<Request> requests =
        random_requests(memory, memory.name == h100.name ? 50'000 : 1'000'000, 1);
    int turn = 0;
    for (const Scheduler scheduler : {Scheduler::first_come, Scheduler::first_ready}) {
      for (const Page page : {Page::open, Page::closed}) {
        constexpr std::array refreshes{Refresh::all_banks, Refresh::bank_by_bank, Refresh::none};
        const Policy policy{scheduler, page, refreshes[turn++ % 3], 8};
        INFO(memory.name, " ", static_cast<int>(scheduler), static_cast<int>(page));
        CHECK(fault(memory, policy, requests, Channel(memory)) == "");
      }
    }
  }
}

/// What the checker finds in random traffic if one rule of the controller's is `less` ticks too short.
std::string fault_of(const Memory& memory, std::size_t rule, Tick less) {
  auto table = constraints(memory);
  table[rule].ticks -= less;
  const Channel channel(memory, table);
  const std::vector<Request> requests = random_requests(memory, 20'000, 2);
  for (const Refresh refresh : {Refresh::all_banks, Refresh::bank_by_bank}) {
    for (const Page page : {Page::open, Page::closed}) {
      const Policy policy{.page = page, .refresh = refresh, .queue = 24};
      if (std::string found = fault(memory, policy, requests, channel); !found.empty()) return found;
    }
  }
  return "";
}

TEST_CASE("the checker finds each rule that the controller takes too lightly") {
  const auto table = constraints(h200);
  const Commands refreshes{Command::refresh_bank, Command::refresh_all};
  for (std::size_t rule = 0; rule < table.size(); ++rule) {
    if (table[rule].ticks == 0) continue;
    bool between_refreshes = true;  // they are never due so soon after each other that a rule must part them
    for (int command = 0; command < command_count; ++command) {
      const auto one = static_cast<Command>(command);
      if (refreshes.contains(one)) continue;
      between_refreshes =
          between_refreshes && !table[rule].from.contains(one) && !table[rule].to.contains(one);
    }
    INFO(rule);
    CHECK(fault_of(h200, rule, h200.bus.edge).empty() == between_refreshes);
  }
}

TEST_CASE("and those of wires that rows and columns share") {
  const auto table = constraints(gddr6);
  int shared = 0;
  for (std::size_t rule = 0; rule < table.size(); ++rule) {
    if (table[rule].level != Level::channel || table[rule].ticks == constraints(h200)[rule].ticks) continue;
    if (!fault_of(gddr6, rule, 1).empty()) ++shared;
  }
  CHECK(shared >= 3);
}

TEST_CASE("a mistake: written data forgotten before the turn to reading") {
  for (const Memory& memory : {h200, h100, hbm2, gddr6}) {
    auto table = constraints(memory);
    for (Constraint& constraint : table) {
      const bool turn = constraint.from.contains(Command::write) && constraint.to.contains(Command::read);
      if (turn && constraint.level != Level::channel)
        constraint.ticks -= memory.timing.cwl + memory.timing.burst;
    }
    const std::vector<Request> requests = random_requests(memory, 2'000, 3);
    CHECK(fault(memory, {.queue = 24}, requests, Channel(memory, table)) != "");
    CHECK(fault(memory, {.queue = 24}, requests, Channel(memory)) == "");
  }
}

TEST_CASE("the checker finds what was left out, doubled or served in another order") {
  const std::vector<Request> requests = random_requests(h200, 200, 4);
  std::vector<Issued> trace;
  std::size_t next = 0;
  Controller(h200, {.refresh = Refresh::all_banks})
      .serve(
          [&]() -> std::optional<Request> {
            return next < 200 ? std::optional(requests[next++]) : std::nullopt;
          },
          [&](const Issued& line) { trace.push_back(line); });
  const auto verdict = [&](const std::vector<Issued>& lines, bool in_order, bool refreshed) {
    TraceChecker checker(h200, requests, in_order);
    for (const Issued& line : lines) checker(line);
    return checker.finish(refreshed, false);
  };
  CHECK(verdict(trace, false, true) == "");
  CHECK(verdict(trace, true, true).starts_with("first come, first served"));
  for (const Command kind : {Command::activate, Command::precharge, Command::read, Command::write}) {
    std::vector<Issued> less = trace;
    less.erase(std::ranges::find(less, kind, &Issued::command));
    CHECK(verdict(less, false, false) != "");
  }
  std::vector<Issued> more = trace;
  const auto line = std::ranges::find(more, Command::read, &Issued::command);
  more.insert(line, *line);
  CHECK(verdict(more, false, false) != "");
}

}  // namespace
