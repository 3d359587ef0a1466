// What is computed once for all blocks, and how instructions are counted nevertheless.

#include <doctest/doctest.h>

#include "emulator/execute/statistics.hpp"
#include "run_ptx.hpp"

using namespace weft::emulator;

TEST_CASE("what no block changes is computed before the first one, what some do is not") {
  Program program(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry test(.param .u32 q) {
.reg .b32 %a<9>; .reg .pred %p;
mov.u32 %a0, %tid.x;
ld.param.u32 %a1, [q];
mad.lo.u32 %a2, %a0, %a1, 5;  // the same in all blocks
mov.u32 %a3, %ctaid.x;
add.u32 %a4, %a2, %a3;        // not the same
add.u32 %a5, %a2, 1;          // the same, from the same
mov.u32 %a6, 0;
TURN:
add.u32 %a6, %a6, %a5;        // another in each turn
setp.lt.u32 %p, %a6, 100;
@%p bra TURN;
ret;
})");
  CHECK(program.kernel("test")->preparation.size() == 2);
}

TEST_CASE("every block and every lane sees what was computed for all") {
  const Array out(std::vector<std::uint32_t>(192));
  run_body(R"(.reg .b32 %a<5>; .reg .b64 %o<3>;
mad.lo.u32 %a0, %t, 3, 7;
mul.wide.u32 %o0, %t, 4;
mov.u32 %a1, %ctaid.x;
mad.lo.u32 %a2, %a1, 1000, %a0;
mul.wide.u32 %o1, %a1, 256;
add.u64 %o2, %p0, %o0;
add.u64 %o2, %o2, %o1;
st.global.u32 [%o2], %a2;)",
           {&out}, {3, 1, 1}, {64, 1, 1});
  const std::vector<std::uint32_t> words = out.words();
  for (std::uint32_t i = 0; i < words.size(); ++i) CHECK(words[i] == i / 64 * 1000 + i % 64 * 3 + 7);
}

TEST_CASE("instructions are counted as PTX has them, also those that need nothing done") {
  const Array out(ramp());
  statistics().count_instructions = true;
  const std::uint64_t before = statistics().thread_instructions;
  run_body(R"(.reg .b32 %a<4>; .reg .pred %p;
mul.lo.u32 %a0, %t, 3;
mov.u32 %a1, 0;
mov.u32 %a2, 7;
TURN:
add.u32 %a1, %a1, 1;
setp.lt.u32 %p, %a1, %a2;
@%p bra TURN;
mov.u32 %a3, %a2;)",
           {&out}, {3, 1, 1}, {40, 1, 1});
  statistics().count_instructions = false;
  constexpr std::uint64_t once = 2 + 3 + 1 + 1;  // those that run_body adds before, three, a mov, ret
  constexpr std::uint64_t per_turn = 3;
  constexpr std::uint64_t threads = 120;  // 3 blocks of 40
  CHECK(statistics().thread_instructions - before == threads * (once + 7 * per_turn));
}
