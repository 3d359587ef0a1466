// Instructions, one at a time, against C++.

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "check_instruction.hpp"
#include "emulator/error.hpp"

using namespace weft::emulator;

TEST_CASE("integer arithmetic wraps") {
  check("add.s32 %d, %a, %b;", [](auto a, auto b, auto) { return a + b; });
  check("sub.u32 %d, %a, %b;", [](auto a, auto b, auto) { return a - b; });
  check("mul.lo.s32 %d, %a, %b;", [](auto a, auto b, auto) { return a * b; });
  check("mul.hi.u32 %d, %a, %b;", [](auto a, auto b, auto) { return std::uint64_t{a} * b >> 32; });
  check("mul.hi.s32 %d, %a, %b;",
        [](auto a, auto b, auto) { return std::int64_t{as_signed(a)} * as_signed(b) >> 32; });
  check("mad.lo.u32 %d, %a, %b, %c;", [](auto a, auto b, auto c) { return a * b + c; });
  check("div.u32 %d, %a, %b;", [](auto a, auto b, auto) { return b == 0 ? ~0U : a / b; });
  check("rem.u32 %d, %a, %b;", [](auto a, auto b, auto) { return b == 0 ? a : a % b; });
  check("div.s32 %d, %a, %b;",
        [](auto a, auto b, auto) { return b == 0 ? -1 : std::int64_t{as_signed(a)} / as_signed(b); });
  check("min.s32 %d, %a, %b;", [](auto a, auto b, auto) { return std::min(as_signed(a), as_signed(b)); });
  check("max.u32 %d, %a, %b;", [](auto a, auto b, auto) { return std::max(a, b); });
  check("sad.u32 %d, %a, %b, %c;", [](auto a, auto b, auto c) { return c + (a < b ? b - a : a - b); });
  check("add.u16 %d, %a, %b;", [](auto a, auto b, auto) { return (a + b) & 0xffff; });
}

TEST_CASE("bits") {
  check("and.b32 %d, %a, %b;", [](auto a, auto b, auto) { return a & b; });
  check("lop3.b32 %d, %a, %b, %c, 0x96;", [](auto a, auto b, auto c) { return a ^ b ^ c; });
  check("lop3.b32 %d, %a, %b, %c, 0xe8;", [](auto a, auto b, auto c) { return (a & b) | (a & c) | (b & c); });
  check("shl.b32 %d, %a, %b;", [](auto a, auto b, auto) { return b < 32 ? a << b : 0; });
  check("shr.u32 %d, %a, %b;", [](auto a, auto b, auto) { return b < 32 ? a >> b : 0; });
  check("shr.s32 %d, %a, %b;", [](auto a, auto b, auto) { return as_signed(a) >> std::min(b, 31U); });
  check("popc.b32 %d, %a;", [](auto a, auto, auto) { return std::popcount(a); });
  check("clz.b32 %d, %a;", [](auto a, auto, auto) { return std::countl_zero(a); });
  check("bfind.u32 %d, %a;", [](auto a, auto, auto) { return a == 0 ? -1 : 31 - std::countl_zero(a); });
  check("bfe.u32 %d, %a, 3, 7;", [](auto a, auto, auto) { return a >> 3 & 127; });
  check("bfe.s32 %d, %a, 3, 7;", [](auto a, auto, auto) { return as_signed(a << 22) >> 25; });
  check("bfi.b32 %d, %a, %b, 5, 9;",
        [](auto a, auto b, auto) { return (b & ~(511U << 5)) | ((a & 511) << 5); });
  check("prmt.b32 %d, %a, %b, 0x7531;", [](auto a, auto b, auto) {
    return (a >> 8 & 255) | (a >> 24) << 8 | (b >> 8 & 255) << 16 | (b >> 24) << 24;
  });
  check("shf.l.wrap.b32 %d, %a, %b, 7;", [](auto a, auto b, auto) { return b << 7 | a >> 25; });
}

TEST_CASE("floats round to nearest even, to the bit") {
  check("add.f32 %d, %a, %b;", [](auto a, auto b, auto) { return bits_of(as_float(a) + as_float(b)); });
  check("sub.rn.f32 %d, %a, %b;", [](auto a, auto b, auto) { return bits_of(as_float(a) - as_float(b)); });
  check("mul.f32 %d, %a, %b;", [](auto a, auto b, auto) { return bits_of(as_float(a) * as_float(b)); });
  check("fma.rn.f32 %d, %a, %b, %c;",
        [](auto a, auto b, auto c) { return bits_of(std::fma(as_float(a), as_float(b), as_float(c))); });
  check("div.rn.f32 %d, %a, %b;", [](auto a, auto b, auto) { return bits_of(as_float(a) / as_float(b)); });
  check("sqrt.rn.f32 %d, %a;", [](auto a, auto, auto) { return bits_of(std::sqrt(as_float(a))); });
  check("cvt.rn.f32.s32 %d, %a;",
        [](auto a, auto, auto) { return bits_of(static_cast<float>(as_signed(a))); });
  check("mul.ftz.f32 %d, %a, %b;", [](auto a, auto b, auto) {
    const auto flush = [](float x) {
      return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
    };
    return bits_of(flush(flush(as_float(a)) * flush(as_float(b))));
  });
}

TEST_CASE("min and max pass over a NaN, and know the signs of zeros") {
  const Words a{0x7fc00000, 0x3f800000, 0x80000000, 0x00000000};
  const Words b{0x3f800000, 0x7fc00000, 0x00000000, 0x80000000};
  Words wide_a(32, 0);
  Words wide_b(32, 0);
  std::ranges::copy(a, wide_a.begin());
  std::ranges::copy(b, wide_b.begin());
  const Words smaller = execute("min.f32 %d, %a, %b;", wide_a, wide_b);
  CHECK(smaller[0] == 0x3f800000);
  CHECK(smaller[1] == 0x3f800000);
  CHECK(smaller[2] == 0x80000000);
  CHECK(smaller[3] == 0x80000000);
  const Words larger = execute("max.f32 %d, %a, %b;", wide_a, wide_b);
  CHECK(larger[2] == 0);
  CHECK(larger[3] == 0);
}

TEST_CASE("floats become integers by clamping") {
  check("cvt.rzi.s32.f32 %d, %a;", [](auto a, auto, auto) {
    const double value = as_float(a);
    if (std::isnan(value)) return std::int64_t{0};
    return static_cast<std::int64_t>(std::clamp(std::trunc(value), -2147483648.0, 2147483647.0));
  });
  check("cvt.rni.u32.f32 %d, %a;", [](auto a, auto, auto) {
    const double value = as_float(a);
    if (std::isnan(value)) return std::int64_t{0};
    return static_cast<std::int64_t>(std::clamp(std::nearbyint(value), 0.0, 4294967295.0));
  });
}

TEST_CASE("comparisons choose") {
  const std::string choose = " selp.b32 %d, 1, 0, %q;";
  check(".reg .pred %q; setp.lt.s32 %q, %a, %b;" + choose,
        [](auto a, auto b, auto) { return as_signed(a) < as_signed(b) ? 1 : 0; });
  check(".reg .pred %q; setp.hi.u32 %q, %a, %b;" + choose,
        [](auto a, auto b, auto) { return a > b ? 1 : 0; });
  check(".reg .pred %q; setp.geu.f32 %q, %a, %b;" + choose,
        [](auto a, auto b, auto) { return as_float(a) < as_float(b) ? 0 : 1; });
  check(".reg .pred %q; setp.ne.f32 %q, %a, %b;" + choose,
        [](auto a, auto b, auto) { return as_float(a) < as_float(b) || as_float(a) > as_float(b) ? 1 : 0; });
  check(".reg .pred %q, %r; setp.eq.s32 %r, %c, 0; setp.lt.and.u32 %q, %a, %b, !%r;" + choose,
        [](auto a, auto b, auto c) { return a < b && c != 0 ? 1 : 0; });
}

TEST_CASE("64-bit registers are packed and unpacked") {
  check(".reg .b64 %w; mov.b64 %w, {%a, %b}; shr.u64 %w, %w, 8; cvt.u32.u64 %d, %w;",
        [](auto a, auto b, auto) { return a >> 8 | b << 24; });
  check(".reg .b64 %w; .reg .b32 %x; mul.wide.u32 %w, %a, %b; mov.b64 {%x, %d}, %w;",
        [](auto a, auto b, auto) { return std::uint64_t{a} * b >> 32; });
}

TEST_CASE("an instruction that does not exist is refused by name, with its line") {
  CHECK_THROWS_WITH_AS(execute("frobnicate.f32 %d, %a;", ramp()), doctest::Contains("frobnicate.f32"), Error);
  CHECK_THROWS_WITH_AS(execute("add.f17 %d, %a, %b;", ramp()), doctest::Contains("PTX line"), Error);
}

TEST_CASE("an operand that is not there is refused, with the line and the instruction") {
  for (const std::string opcode : {"add.s32",
                                   "add.cc.u32",
                                   "atom.global.add.u32",
                                   "atom.global.cas.b32",
                                   "bar.sync",
                                   "bar.warp.sync",
                                   "bar.red.popc.u32",
                                   "bra",
                                   "brx.idx",
                                   "call",
                                   "cp",
                                   "cp.async.ca.shared.global",
                                   "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group",
                                   "cp.async.bulk.global.shared::cta.bulk_group",
                                   "cp.async.mbarrier.arrive.noinc.b64",
                                   "cvt.u32.u64",
                                   "cvta.to.global.u64",
                                   "getctarank.u32",
                                   "ld.global.u32",
                                   "ldmatrix.sync.aligned.m8n8.x1.b16",
                                   "mapa.u32",
                                   "match.any.sync.b32",
                                   "mbarrier.init.b64",
                                   "mbarrier.arrive.b64",
                                   "mbarrier.test_wait.b64",
                                   "mbarrier.complete_tx.b64",
                                   "mov.b32",
                                   "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
                                   "movmatrix.sync.aligned.m8n8.trans.b16",
                                   "nanosleep.u32",
                                   "red.global.add.u32",
                                   "set.lt.u32.s32",
                                   "setp.lt.s32",
                                   "setp.lt.and.s32",
                                   "shfl.sync.idx.b32",
                                   "st.global.u32",
                                   "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32",
                                   "vote.sync.all.pred",
                                   "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
                                   "wmma.load.a.sync.aligned.row.m16n16k16.f16",
                                   "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32",
                                   "red.global.v2.f32.add"}) {
    for (const std::string one : {"[%r]", "[x, {%r}]", "{}", "[]", "_", "x"}) {
      std::string list;
      for (int count = 0; count < 2; ++count) {
        CAPTURE(opcode);
        CAPTURE(list);
        Program program(std::string(".version 9.0\n.entry e() {\n.reg .b32 %r;\n")
                            .append(opcode)
                            .append(" ")
                            .append(list)
                            .append("; }"));
        CHECK_THROWS_WITH_AS(program.kernel("e"),
                             doctest::Contains(("e: PTX line 4, " + opcode + ": ").c_str()), Error);
        if (!list.empty()) list += ", ";
        list += one;
      }
    }
  }
}
