#include "emulator/ptx/parser.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "emulator/ptx/lexer.hpp"

using namespace weft::emulator::ptx;

namespace {

const std::string head = ".version 9.0\n.target sm_90a\n.address_size 64\n";

/// What a parser must understand, in one module.
const std::string sample = head + R"(
.const .align 4 .b8 table[16] = {1, 2, 0x3, -1};
.global .align 8 .u64 pointer = generic(table) + 4;
.extern .shared .align 16 .b8 dynamic[];
.visible .entry kernel(.param .u64 kernel_param_0, .param .align 4 .b8 kernel_param_1[12])
.maxntid 256, 1, 1
{
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  .reg .f32 %f<2>;
  .loc 1 7 3, function_name $L__info + 4, inlined_at 1 9 2
  ld.param.u32 %r1, [kernel_param_1+4];
  { .reg .b32 %r1; mov.u32 %r1, %tid.x; again: setp.ne.s32 %p1, %r1, 0; @!%p1 bra again; }
  add.s32 %r2, %r1, -0x10;
  mov.f32 %f1, 0f3F800000;
  { again: @%p1 bra again; }
  shfl.sync.idx.b32 %r3|%p2, %r2, 0, 31, -1;
  brx.idx.uni %r1, targets;
  targets: .branchtargets out, out;
out:
  ret;
}
.file 1 "a.cu"
)";

}  // namespace

TEST_CASE("a module is read") {
  const Module module = parse(sample);
  CHECK(module.target == "sm_90a");
  REQUIRE(module.variables.size() == 3);
  CHECK((module.variables[0].initial == std::vector<std::uint8_t>{1, 2, 3, 255}));
  REQUIRE(module.variables[1].relocations.size() == 1);
  CHECK(module.variables[1].relocations[0].name == "table");
  CHECK(module.variables[1].relocations[0].addend == 4);
  CHECK(module.variables[2].external);
  CHECK(module.files.at(1) == "a.cu");

  REQUIRE(module.functions.size() == 1);
  const Function& kernel = module.functions[0];
  CHECK(kernel.kernel);
  CHECK(kernel.most_threads == 256);
  REQUIRE(kernel.parameters.size() == 2);
  CHECK(kernel.parameters[1].bytes == 12);
  REQUIRE(kernel.instructions.size() == 10);
  CHECK(kernel.instructions[0].opcode == "ld.param.u32");
  CHECK(kernel.instructions[0].position.file == 1);
  CHECK(kernel.instructions[0].position.line == 7);
  CHECK(kernel.instructions[0].operands[1].bits == 4);
  CHECK(kernel.instructions[4].operands[2].bits == static_cast<std::uint64_t>(-16));
}

TEST_CASE("an instruction knows the lines that it was inlined into, from the inside out") {
  const Module module = parse(head + R"(.visible .entry kernel() {
    .loc 1 30 5
    .loc 2 20 3, function_name $L__outer, inlined_at 1 30 5
    .loc 3 10 1, function_name $L__inner, inlined_at 2 20 3
    membar.gl;
    .loc 1 31 5
    ret;
  }
  .file 1 "kernel.cu"
  .file 2 "outer.hpp"
  .file 3 "inner.hpp"
)");
  const auto& instructions = module.functions[0].instructions;
  std::vector<std::pair<std::string, std::uint32_t>> places;
  for (const Position* at = &instructions[0].position; at != nullptr; at = at->caller.get()) {
    places.emplace_back(module.files.at(at->file), at->line);
  }
  CHECK(places == decltype(places){{"inner.hpp", 10}, {"outer.hpp", 20}, {"kernel.cu", 30}});
  CHECK(instructions[1].position.line == 31);
  CHECK(instructions[1].position.caller == nullptr);
}

TEST_CASE("a name means what its scope says") {
  const Module module = parse(sample);
  const auto& instructions = module.functions[0].instructions;
  const std::uint32_t outer = instructions[0].operands[0].index;
  const std::uint32_t inner = instructions[1].operands[0].index;
  CHECK(outer != inner);
  CHECK(instructions[4].operands[1].index == outer);
  CHECK(instructions[3].operands[0].index == 2);  // the first `again`
  CHECK(instructions[6].operands[0].index == 6);  // the second one
  CHECK((module.functions[0].branch_targets.at(0) == std::vector<std::uint32_t>{9, 9}));
}

TEST_CASE("what is no PTX is refused with its line") {
  const auto refused = [](const std::string& text, const char* told) {
    CHECK_THROWS_WITH_AS(parse(head + text), doctest::Contains(told), SyntaxError);
  };
  refused("nonsense", "line 4: unexpected \"nonsense\"");
  refused(".entry k() {", "without an end");
  refused(".entry k() { add.s32 %r1 %r2; }", "unexpected");
  refused(".global .b8 x[99999999999999];", "4 GiB");
  refused(".global .align 3 .b8 x;", "power of two");
  refused(".entry k() { mov.b32 {{{{{{{{x}}}}}}}}, y; }", "too many braces");
  refused(".entry k() { .reg .b32 %r<9999999>; }", "too many registers");
  refused(".file 1 \"no end", "without an end");
}

TEST_CASE("a damaged text is read or refused, and never does harm") {
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = sample;
    for (int change = 0; change < 3; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 128);
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
      }
    }
    try {
      parse(text);
    } catch (const SyntaxError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}
