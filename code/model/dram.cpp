// What figures and tables ask about memories.
//   model memories      each memory: its parts, its times and their sources
//   model random-runs   what random runs get of each card's memory, at each length and way of refreshing,
//                       with so many requests of each pseudo-channel in the queue; and of an H200's, without
//                       refresh, with rows that are left open or closed, if so many neighbouring bytes lie
//                       together in a row
//   model trace         the commands that a controller gives to one channel, for the question
//                       {"memory", "scheduler", "page", "refresh", "queue", "requests": [{"arrival", "bank",
//                       "row", "column", "bursts", "write"}]}; all but the banks may be left out.

#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "model/answers.hpp"
#include "model/dram/mapped_runs.hpp"
#include "model/dram/memories.hpp"
#include "model/dram/runs.hpp"

namespace weft::on_memories {

using namespace model::dram;
using answers::Json;

constexpr std::array<std::pair<std::string_view, Memory>, 9> known_memories{{{"h200", h200},
                                                                             {"h100", h100},
                                                                             {"h200-adjusted", h200_adjusted},
                                                                             {"h100-adjusted", h100_adjusted},
                                                                             {"h200-unfitted", h200_unfitted},
                                                                             {"h100-unfitted", h100_unfitted},
                                                                             {"hbm2", hbm2},
                                                                             {"gddr6", gddr6},
                                                                             {"textbook", textbook(20)}}};
constexpr auto cards = std::span(known_memories).first<6>();

constexpr std::array<std::pair<std::string_view, Scheduler>, 2> schedulers{
    {{"first-ready", Scheduler::first_ready}, {"first-come", Scheduler::first_come}}};
constexpr std::array<std::pair<std::string_view, Page>, 2> pages{
    {{"open", Page::open}, {"closed", Page::closed}}};
constexpr std::array<std::pair<std::string_view, Refresh>, 3> refreshes{
    {{"none", Refresh::none}, {"all-banks", Refresh::all_banks}, {"bank-by-bank", Refresh::bank_by_bank}}};

// What a name stands for; the first if none is given.
template <class Names>
const auto& named(const Names& names, const Json& question, const char* key) {
  if (!question.contains(key)) return names.front().second;
  const auto name = question.at(key).get<std::string>();
  for (const auto& [known, value] : names) {
    if (known == name) return value;
  }
  throw std::invalid_argument("unknown " + std::string(key) + ": " + name);
}

Json describe(const Memory& memory) {
  const Organization& parts = memory.organization;
  Json times = Json::array();
  for (const Given& given : memory.given) {
    const Tick ticks = memory.timing.*given.time;
    times.push_back({{"symbol", given.symbol},
                     {"clocks", ticks / memory.ticks_per_clock},
                     {"ns", static_cast<double>(ticks) * memory.tick_ns()},
                     {"source", given.source},
                     {"elsewhere", given.elsewhere}});
  }
  return {{"name", memory.name},
          {"tick_ns", memory.tick_ns()},
          {"clock_ns", memory.tick_ns() * memory.ticks_per_clock},
          {"pin_mbps", memory.pin_mbps},
          {"pseudo_channel_rate", memory.pseudo_channel_rate()},
          {"peak", memory.peak()},
          {"pseudo_channels", parts.channels * parts.pseudo_channels},
          {"banks_of_pseudo_channel", parts.banks_of_pseudo_channel()},
          {"row_bytes", parts.row_bytes()},
          {"burst_bytes", parts.burst_bytes},
          {"bytes", parts.bytes()},
          {"times", std::move(times)}};
}

Request request_of(const Json& asked) {
  Request request;
  request.arrival = asked.value("arrival", Tick{0});
  request.bank = asked.at("bank").get<int>();
  request.row = asked.value("row", std::int64_t{0});
  request.column = asked.value("column", 0);
  request.bursts = asked.value("bursts", 1);
  request.write = asked.value("write", false);
  return request;
}

void check(const Request& request, const Memory& memory, Tick before) {
  const Organization& parts = memory.organization;
  if (request.bank < 0 || request.bank >= parts.banks_of_channel() || request.row < 0 ||
      request.row >= parts.rows || request.column < 0 || request.bursts < 1 ||
      request.bursts > parts.columns - request.column) {
    throw std::invalid_argument("a request lies outside of its memory");
  }
  if (request.arrival < before) throw std::invalid_argument("requests stand in the order of their arrival");
}

void add_mapped_runs(Json& answer) {
  for (const int queue : {128, 8}) {
    for (const std::int64_t together : {32, 256, 1024}) {
      for (const auto& [name, page] : pages) {
        const Policy policy{Scheduler::first_ready, page, Refresh::none,
                            queue * h200.organization.pseudo_channels};
        for (const std::int64_t bytes : {32, 64, 128, 256, 512, 1024, 2048, 4096, 1 << 20}) {
          answer.push_back({{"memory", "h200"},
                            {"refresh", "none"},
                            {"queue", queue},
                            {"together", together},
                            {"page", name},
                            {"bytes", bytes},
                            {"rate", mapped_runs(h200, policy, together, bytes)}});
        }
      }
    }
  }
}

}  // namespace weft::on_memories

weft::answers::Json weft::answers::memories(const Json& /*nothing*/) {
  using namespace on_memories;
  Json answer;
  for (const auto& [key, memory] : known_memories) answer[std::string(key)] = describe(memory);
  return answer;
}

weft::answers::Json weft::answers::random_runs(const Json& /*nothing*/) {
  using namespace on_memories;
  Json answer = Json::array();
  for (const int queue : {64, 32}) {
    for (const auto& [key, memory] : cards) {
      for (const auto& [name, refresh] : refreshes) {
        for (std::int64_t bytes = 32; bytes <= 16'384; bytes *= 2) {
          const int places = queue * memory.organization.pseudo_channels;
          const Policy policy{Scheduler::first_ready, Page::closed, refresh, places};
          answer.push_back({{"memory", key},
                            {"refresh", name},
                            {"queue", queue},
                            {"bytes", bytes},
                            {"rate", model::dram::random_runs(memory, policy, bytes)}});
        }
      }
    }
  }
  add_mapped_runs(answer);
  return answer;
}

weft::answers::Json weft::answers::trace(const Json& question) {
  using namespace on_memories;
  const Memory& memory = named(known_memories, question, "memory");
  const Policy policy{named(schedulers, question, "scheduler"), named(pages, question, "page"),
                      named(refreshes, question, "refresh"), question.value("queue", 64)};
  Json lines = Json::array();
  auto asked = question.at("requests").begin();
  Tick before = 0;
  Controller controller(memory, policy);
  controller.serve(
      [&]() -> std::optional<Request> {
        if (asked == question.at("requests").end()) return std::nullopt;
        const Request request = request_of(*asked++);
        check(request, memory, before);
        before = request.arrival;
        return request;
      },
      [&](const Issued& line) {
        lines.push_back({{"tick", line.tick},
                         {"command", command_names[static_cast<std::size_t>(line.command)]},
                         {"bank", line.bank},
                         {"row", line.row},
                         {"column", line.column},
                         {"request", line.request}});
      });
  return {{"memory", describe(memory)}, {"trace", std::move(lines)}};
}
