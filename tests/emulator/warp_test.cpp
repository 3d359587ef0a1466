// Warps that divide, meet, wait for each other and spin.

#include <doctest/doctest.h>

#include <string>

#include "emulator/execute/fault.hpp"
#include "run_ptx.hpp"

using namespace weft::emulator;

namespace {
using Words = std::vector<std::uint32_t>;
}  // namespace

TEST_CASE("the sides of a branch meet again") {
  const Array out(Words(32));
  const Counted counted =
      run_body(own_word +
                   ".reg .pred %q; .reg .b32 %m, %v; and.b32 %m, %t, 1; setp.eq.u32 %q, %m, 0;\n"
                   "@%q bra EVEN; mul.lo.u32 %v, %t, 3; bra.uni MEET;\n"
                   "EVEN: mul.lo.u32 %v, %t, 5;\n"
                   "MEET: st.global.u32 [%o], %v;",
               {&out});
  CHECK(counted.counts.back().requests == 1);
  const Words words = out.words();
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(words[i] == i * (i % 2 == 0 ? 5 : 3));
}

TEST_CASE("lanes meet before the end if the others have nothing left to do") {
  const Array out(Words(32));
  // if (t % 2 == 0 || t % 3 == 0) out[t] = 7; return;
  const Counted counted = run_body(own_word +
                                       ".reg .pred %q, %r; .reg .b32 %m, %n, %v; mov.u32 %v, 7;\n"
                                       "and.b32 %m, %t, 1; setp.eq.u32 %q, %m, 0; @%q bra STORE;\n"
                                       "rem.u32 %n, %t, 3; setp.ne.u32 %r, %n, 0; @%r bra END;\n"
                                       "STORE: st.global.u32 [%o], %v;\n"
                                       "END: ret;",
                                   {&out});
  CHECK(counted.counts.back().requests == 1);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(out.words()[i] == (i % 2 == 0 || i % 3 == 0 ? 7 : 0));
}

TEST_CASE("lanes that come to a loop by two ways go through it together") {
  const Array out(Words(32));
  const Counted counted = run_body(
      own_word +
          ".reg .pred %q; .reg .b32 %m, %i; mov.u32 %i, 0; and.b32 %m, %t, 1; setp.eq.u32 %q, %m, 0;\n"
          "@%q bra LOOP; add.u32 %i, %i, 1;\n"
          "LOOP: st.global.u32 [%o], %i; add.u32 %i, %i, 2; setp.lt.u32 %q, %i, 9; @%q bra LOOP;\n"
          "ret;",
      {&out});
  CHECK(counted.counts.back().requests == 5);
}

TEST_CASE("lanes leave a loop one by one and meet behind it") {
  const Array out(Words(32));
  const Counted counted =
      run_body(own_word +
                   ".reg .pred %q; .reg .b32 %i, %v; mov.u32 %i, 0; mov.u32 %v, 0;\n"
                   "LOOP: add.u32 %v, %v, %i; add.u32 %i, %i, 1; setp.le.u32 %q, %i, %t; @%q bra LOOP;\n"
                   "st.global.u32 [%o], %v;",
               {&out});
  CHECK(counted.counts.back().requests == 1);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(out.words()[i] == i * (i + 1) / 2);
}

TEST_CASE("lanes that exit early are not waited for") {
  const Array out(Words(64));
  run_body(own_word +
               ".reg .pred %q; setp.ge.u32 %q, %t, 40; @%q exit;\n"
               "bar.sync 0; st.global.u32 [%o], %t;",
           {&out}, {}, {64, 1, 1});
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(out.words()[i] == (i < 40 ? i : 0));
}

TEST_CASE("a lock that the lanes of one warp fight for is given to all of them") {
  const Array lock(Words(2));
  run_body(
      ".reg .pred %q; .reg .b32 %v;\n"
      "SPIN: atom.global.cas.b32 %v, [%p0], 0, 1; setp.ne.u32 %q, %v, 0; @%q bra SPIN;\n"
      "ld.global.u32 %v, [%p0+4]; add.u32 %v, %v, 1; st.global.u32 [%p0+4], %v;\n"
      "atom.global.exch.b32 %v, [%p0], 0;",
      {&lock});
  CHECK(lock.words()[1] == 32);
}

TEST_CASE("blocks that wait for later ones get them, when all are launched together") {
  constexpr std::uint32_t blocks = 50;
  const Array state(Words(2));
  run_body(
      ".reg .pred %q; .reg .b32 %v, %n; mov.u32 %n, %nctaid.x; setp.ne.u32 %q, %t, 0; @%q exit;\n"
      "red.global.add.u32 [%p0], 1;\n"
      "SPIN: ld.volatile.global.u32 %v, [%p0]; setp.ne.u32 %q, %v, %n; @%q bra SPIN;\n"
      "red.global.add.u32 [%p0+4], 1;",
      {&state}, {blocks, 1, 1}, {32, 1, 1}, true);
  CHECK(state.words()[1] == blocks);
}

TEST_CASE("shared memory passes words between warps") {
  const Array out(Words(128));
  run_body(
      own_word +
          ".shared .align 4 .b8 words[512]; .reg .b32 %s, %u, %v; mov.u32 %s, words;\n"
          "mad.lo.u32 %u, %t, 4, %s; st.shared.u32 [%u], %t; bar.sync 0;\n"
          "sub.u32 %v, 127, %t; mad.lo.u32 %u, %v, 4, %s; ld.shared.u32 %v, [%u]; st.global.u32 [%o], %v;",
      {&out}, {}, {128, 1, 1});
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(out.words()[i] == 127 - i);
}

TEST_CASE("shuffles follow PTX's rules for segments") {
  CHECK((execute("shfl.sync.idx.b32 %d, %a, 5, 31, -1;", ramp(10)) == Words(32, 50)));
  const Words down = execute("shfl.sync.down.b32 %d, %a, 4, 31, -1;", ramp());
  const Words up = execute("shfl.sync.up.b32 %d, %a, 3, 0, -1;", ramp());
  const Words cross = execute("shfl.sync.bfly.b32 %d, %a, 1, 31, -1;", ramp());
  const Words eights = execute("shfl.sync.idx.b32 %d, %a, 2, 0x181f, -1;", ramp());
  for (std::uint32_t i = 0; i < 32; ++i) {
    CHECK(down[i] == (i + 4 < 32 ? i + 4 : i));
    CHECK(up[i] == (i >= 3 ? i - 3 : i));
    CHECK(cross[i] == (i ^ 1));
    CHECK(eights[i] == (i & ~7U) + 2);
  }
}

TEST_CASE("votes, matches and reductions") {
  CHECK(execute(".reg .pred %q; setp.lt.u32 %q, %a, 5; vote.sync.ballot.b32 %d, %q, -1;", ramp()) ==
        Words(32, 31));
  CHECK((execute("redux.sync.add.s32 %d, %a, -1;", ramp()) == Words(32, 496)));
  CHECK((execute("activemask.b32 %d;", ramp()) == Words(32, ~0U)));
  const Words matched = execute(".reg .b32 %m; and.b32 %m, %a, 3; match.any.sync.b32 %d, %m, -1;", ramp());
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(matched[i] == 0x11111111U << i % 4);
}

TEST_CASE("what a thread may not access is told with thread and address") {
  const Array small(Words(32));
  const auto wrong = [&](const std::string& body, const char* told) {
    CHECK_THROWS_WITH_AS(run_body(own_word + body, {&small}), doctest::Contains(told), Fault);
  };
  wrong("st.global.u32 [%o+4], %t;", "thread (31, 0, 0) writes 4 bytes");
  wrong("st.global.u32 [%o+4], %t;", "0 bytes behind the end of an allocation of 128 bytes");
  wrong(".reg .b64 %z; mov.u64 %z, 0; ld.global.u32 %t, [%z];", "null pointer");
  wrong("ld.global.u32 %t, [%o+1];", "not a multiple of 4");
  wrong(".shared .b8 words[64]; .reg .b32 %s; mul.lo.u32 %s, %t, 4; st.shared.u32 [%s], %t;",
        "of which its block has 64 bytes");
  wrong(".reg .pred %q; setp.lt.u32 %q, %t, 7; @%q bra SKIP; bar.sync 0;\nSKIP: bar.sync 1;",
        "not all threads of its warp");
  wrong(
      ".reg .pred %q; setp.lt.u32 %q, %t, 7; @%q bra SKIP; barrier.sync 0; barrier.sync 0;\nSKIP: "
      "barrier.sync 1;",
      "never come");
}

TEST_CASE("a vote's words come in either order") {
  const std::string odd = ".reg .pred %q; .reg .b32 %m; and.b32 %m, %a, 1; setp.eq.u32 %q, %m, 1;\n";
  CHECK(execute(odd + "vote.sync.ballot.b32 %d, %q, -1;", ramp()) == Words(32, 0xaaaaaaaa));
  CHECK(execute(odd + "vote.ballot.sync.b32 %d, %q, -1;", ramp()) == Words(32, 0xaaaaaaaa));
}

TEST_CASE("lanes with different masks have nothing to do with each other") {
  // Lanes 0 to 9 and 10 to 31 add up for themselves, in one instruction.
  const Words sums = execute(
      ".reg .pred %q; .reg .b32 %m; setp.lt.u32 %q, %a, 10; selp.b32 %m, 0x3ff, 0xfffffc00, %q;\n"
      "redux.sync.add.u32 %d, %a, %m;",
      ramp());
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(sums[i] == (i < 10 ? 45 : 31 * 16 - 45));
}

TEST_CASE("a warp's barrier is the same one wherever its lanes stand") {
  const Array out(Words(64));
  run_body(own_word +
               ".reg .pred %q; .reg .b32 %v; setp.lt.u32 %q, %t, 16; @%q bra FIRST;\n"
               "st.global.u32 [%p0+128], %t; bar.warp.sync -1; bra.uni MEET;\n"
               "FIRST: bar.warp.sync -1; ld.global.u32 %v, [%p0+128]; st.global.u32 [%o], %v;\n"
               "MEET: ret;",
           {&out});
  const Words words = out.words();
  for (std::uint32_t i = 0; i < 16; ++i) CHECK(words[i] >= 16);
}

TEST_CASE("a scan that looks back keeps its warps whole") {
  // Lane 0 waits for the block before, the others for lane 0: none of them may go on alone.
  constexpr std::uint32_t blocks = 20;
  const Array state(Words(1 + blocks * 32));
  const Counted counted = run_body(
      ".reg .pred %q; .reg .b32 %v, %b, %i; .reg .b64 %o; mov.u32 %b, %ctaid.x;\n"
      "setp.ne.u32 %q, %t, 0; @%q bra MEET;\n"
      "sub.u32 %b, %nctaid.x, %b; sub.u32 %b, %b, 1;\n"  // the last block is the first in the chain
      "SPIN: ld.volatile.global.u32 %v, [%p0]; setp.ne.u32 %q, %v, %b; @%q bra SPIN;\n"
      "add.u32 %v, %v, 1; st.volatile.global.u32 [%p0], %v;\n"
      "MEET: mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 32, %t; mul.wide.u32 %o, %i, 4; add.u64 %o, %o, %p0;\n"
      "st.global.u32 [%o+4], %i;",
      {&state}, {blocks, 1, 1});
  CHECK(state.words()[0] == blocks);
  CHECK(counted.counts.back().requests == blocks);
}
