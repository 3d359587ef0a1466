// The bus reads a kibibyte, writes a kibibyte, and so on.
//
// Exercise: What share of its time does the bus rest, and what would be gained with tWTR = 0?
#include <doctest/doctest.h>

#include <optional>

#include "model/dram/controller.hpp"
#include "model/dram/memories.hpp"
#include "step/vocabulary.hpp"

using namespace weft;

void weft::register_steps() { tests_alone(); }

namespace {
// [solution]
constexpr model::dram::Memory memory = model::dram::h200;
constexpr int bursts_of_turn = 1024 / memory.organization.burst_bytes;

/// The share that the bus rests at the two turns, when it works for two turns in between.
constexpr double resting() {
  const model::dram::Timing& t = memory.timing;
  const auto rest = static_cast<double>(t.rtw + t.cwl - t.burst + t.wtr_s);
  return rest / (rest + 2. * bursts_of_turn * static_cast<double>(t.burst));
}
// [solution]
}  // namespace

TEST_CASE("with turns of a kibibyte the bus rests a fifth of its time, and the simulated memory agrees") {
  using namespace model::dram;
  CHECK(resting() == doctest::Approx(0.215).epsilon(0.01));
  constexpr int turns = 100;
  std::int64_t next = 0;
  Tick end = 0;
  Controller controller(memory, {Scheduler::first_come});
  controller.serve(
      [&]() -> std::optional<Request> {
        if (next == std::int64_t{turns} * bursts_of_turn) return std::nullopt;
        Request request;
        request.bank = 4 * static_cast<int>(next % 4);  // a bank of each group
        request.column = static_cast<int>(next / 4 % memory.organization.columns);
        request.write = next++ / bursts_of_turn % 2 == 1;
        return request;
      },
      [&](const Issued& line) { end = line.tick; });
  const Tick worked = std::int64_t{turns} * bursts_of_turn * memory.timing.burst;
  const double working = static_cast<double>(worked) / static_cast<double>(end);
  CHECK(1 - working == doctest::Approx(resting()).epsilon(0.03));
}
