// The rarer arithmetic: other directions of rounding, carries, fields, choices between floats.

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <string>

#include "check_instruction.hpp"

using namespace weft::emulator;

namespace {

/// Computes in a direction of rounding; nothing is folded or moved across.
template <class Function>
std::uint32_t directed(int direction, Function f, float a, float b, float c) {
  const volatile float x = a;
  const volatile float y = b;
  const volatile float z = c;
  std::fesetround(direction);
  const volatile float result = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return bits_of(result);
}

struct Direction {
  const char* name;
  int mode;
};

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

const std::string choose = " selp.b32 %d, 1, 0, %q;";

}  // namespace

TEST_CASE("floats are rounded in every direction") {
  for (const auto& [name, mode] : {Direction{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}) {
    const auto hold = [mode = mode](const std::string& text, auto f) {
      check(text,
            [&](auto a, auto b, auto c) { return directed(mode, f, as_float(a), as_float(b), as_float(c)); });
    };
    const std::string dot = std::string(".") + name;
    hold("add" + dot + ".f32 %d, %a, %b;", [](float a, float b, float) { return a + b; });
    hold("sub" + dot + ".f32 %d, %a, %b;", [](float a, float b, float) { return a - b; });
    hold("mul" + dot + ".f32 %d, %a, %b;", [](float a, float b, float) { return a * b; });
    hold("div" + dot + ".f32 %d, %a, %b;", [](float a, float b, float) { return a / b; });
    hold("fma" + dot + ".f32 %d, %a, %b, %c;", [](float a, float b, float c) { return std::fma(a, b, c); });
    hold("rcp" + dot + ".f32 %d, %a;", [](float a, float, float) { return 1 / a; });
    hold("sqrt" + dot + ".f32 %d, %a;", [](float a, float, float) { return std::sqrt(a); });
    hold("mul" + dot + ".ftz.f32 %d, %a, %b;",
         [](float a, float b, float) { return flush(flush(a) * flush(b)); });
    const std::string widen = ".reg .f64 %x, %y; cvt.f64.f32 %x, %a; cvt.f64.f32 %y, %b; ";
    hold(joined({widen, "mul.f64 %x, %x, %y; cvt", dot, ".f32.f64 %d, %x;"}),
         [](float a, float b, float) { return a * b; });
    check("cvt" + dot + ".f32.u32 %d, %a;", [mode = mode](auto a, auto, auto) {
      std::fesetround(mode);
      volatile std::int64_t const exact = a;
      volatile auto const result = static_cast<float>(exact);
      std::fesetround(FE_TONEAREST);
      return bits_of(result);
    });
  }
}

TEST_CASE("doubles are rounded in every direction") {
  const std::string pack = ".reg .f64 %x, %y, %r; .reg .b32 %h; mov.b64 %x, {%a, %b}; mov.b64 %y, {%b, %c}; ";
  for (const auto& [name, mode] : {Direction{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}) {
    check(pack + "mul." + name + ".f64 %r, %x, %y; mov.b64 {%d, %h}, %r;",
          [mode = mode](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
            const volatile auto x = std::bit_cast<double>(a | b << 32);
            const volatile auto y = std::bit_cast<double>(b | c << 32);
            std::fesetround(mode);
            volatile double const product = std::isnan(x) ? x * 1.0 : x * y;  // the first of two NaNs
            std::fesetround(FE_TONEAREST);
            return std::bit_cast<std::uint64_t>(double{product});
          });
  }
}

TEST_CASE("saturation") {
  check("fma.rn.sat.f32 %d, %a, %b, %c;", [](auto a, auto b, auto c) {
    const float value = std::fma(as_float(a), as_float(b), as_float(c));
    return bits_of(value > 0 ? std::min(value, 1.0F) : 0.0F);
  });
}

TEST_CASE("carries run through chains of instructions") {
  check(".reg .b32 %l; add.cc.u32 %l, %a, %b; addc.u32 %d, %b, %c;", [](auto a, auto b, auto c) {
    return ((a | std::uint64_t{b} << 32) + (b | std::uint64_t{c} << 32)) >> 32;
  });
  check(".reg .b32 %l; sub.cc.u32 %l, %a, %b; subc.u32 %d, %b, %c;", [](auto a, auto b, auto c) {
    return ((a | std::uint64_t{b} << 32) - (b | std::uint64_t{c} << 32)) >> 32;
  });
  check(".reg .b32 %l; add.cc.u32 %l, %a, %b; addc.cc.u32 %l, %b, %c; addc.u32 %d, 0, 0;",
        [](auto a, auto b, auto c) {
          const std::uint64_t low = std::uint64_t{a} + b;
          return (std::uint64_t{b} + c + (low >> 32)) >> 32;
        });
  check(".reg .b32 %l; sub.cc.u32 %l, %a, %b; subc.cc.u32 %l, %b, %c; subc.u32 %d, 0, 0;",
        [](auto a, auto b, auto c) {
          const std::int64_t low = std::int64_t{a} - b;
          return (std::int64_t{b} - c + (low >> 63)) >> 63;
        });
  check(".reg .b32 %l; mad.lo.cc.u32 %l, %a, %b, %c; madc.hi.u32 %d, %a, %b, %c;",
        [](auto a, auto b, auto c) { return (std::uint64_t{a} * b + (c | std::uint64_t{c} << 32)) >> 32; });
  check(".reg .b32 %l; mad.lo.cc.u32 %l, %a, %b, %c; madc.hi.s32 %d, %a, %b, %c;",
        [](auto a, auto b, auto c) {
          const auto product = static_cast<std::uint64_t>(std::int64_t{as_signed(a)} * as_signed(b));
          return (product + (c | std::uint64_t{c} << 32)) >> 32;
        });
}

TEST_CASE("a carry belongs to its lane") {
  check(
      ".reg .b32 %l; .reg .pred %q; mov.u32 %d, 7; setp.lt.u32 %q, %a, %b;\n"
      "@%q add.cc.u32 %l, %a, %b; @!%q add.cc.u32 %l, %b, %c; addc.u32 %d, 0, 0;",
      [](auto a, auto b, auto c) { return (a < b ? std::uint64_t{a} + b : std::uint64_t{b} + c) >> 32; });
}

TEST_CASE("products of 24 bits, and of bytes and halves") {
  const auto low24 = [](std::uint32_t x) { return x & 0xffffffU; };
  const auto signed24 = [](std::uint32_t x) { return std::int64_t{as_signed(x << 8) >> 8}; };
  check("mul24.lo.u32 %d, %a, %b;", [&](auto a, auto b, auto) { return low24(a) * low24(b); });
  check("mul24.hi.u32 %d, %a, %b;",
        [&](auto a, auto b, auto) { return std::uint64_t{low24(a)} * low24(b) >> 16; });
  check("mul24.hi.s32 %d, %a, %b;", [&](auto a, auto b, auto) { return signed24(a) * signed24(b) >> 16; });
  check("mad24.hi.sat.s32 %d, %a, %b, %c;", [&](auto a, auto b, auto c) {
    const std::int64_t product = static_cast<std::int32_t>(signed24(a) * signed24(b) >> 16);
    return std::clamp<std::int64_t>(product + as_signed(c), INT32_MIN, INT32_MAX);
  });
  check("dp4a.s32.s32 %d, %a, %b, %c;", [](auto a, auto b, auto c) {
    for (int i = 0; i < 32; i += 8)
      c += static_cast<std::uint32_t>(static_cast<std::int8_t>(a >> i) * static_cast<std::int8_t>(b >> i));
    return c;
  });
  check("dp2a.lo.s32.u32 %d, %a, %b, %c;", [](auto a, auto b, auto c) {
    return c + static_cast<std::uint32_t>(static_cast<std::int16_t>(a) * static_cast<std::uint8_t>(b)) +
           static_cast<std::uint32_t>(static_cast<std::int16_t>(a >> 16) * static_cast<std::uint8_t>(b >> 8));
  });
  check("dp2a.hi.u32.s32 %d, %a, %b, %c;", [](auto a, auto b, auto c) {
    return c + static_cast<std::uint32_t>(static_cast<std::uint16_t>(a) * static_cast<std::int8_t>(b >> 16)) +
           static_cast<std::uint32_t>(static_cast<std::uint16_t>(a >> 16) *
                                      static_cast<std::int8_t>(b >> 24));
  });
}

TEST_CASE("fields and masks") {
  check("bmsk.clamp.b32 %d, %a, %b;", [](auto a, auto b, auto) {
    std::uint32_t mask = 0;
    for (std::uint64_t bit = a; bit < 32 && bit < std::uint64_t{a} + b; ++bit) mask |= 1U << bit;
    return mask;
  });
  check("bmsk.wrap.b32 %d, %a, %b;", [](auto a, auto b, auto) {
    std::uint32_t mask = 0;
    for (std::uint32_t bit = a % 32; bit < 32 && bit < a % 32 + b % 32; ++bit) mask |= 1U << bit;
    return mask;
  });
  check("szext.wrap.s32 %d, %a, %b;", [](auto a, auto b, auto) {
    const std::uint32_t width = b % 32;
    return width == 0 ? 0 : as_signed(a << (32 - width)) >> (32 - width);
  });
  check("szext.clamp.u32 %d, %a, %b;",
        [](auto a, auto b, auto) { return b > 31 ? a : a & ((std::uint64_t{1} << b) - 1); });
  check("fns.b32 %d, %a, 3, 2;", [](auto a, auto, auto) {
    const std::uint32_t after = a & ~7U & ((a & ~7U) - 1);
    return after == 0 ? ~0U : static_cast<std::uint32_t>(std::countr_zero(after));
  });
  check("fns.b32 %d, %a, 20, -1;", [](auto a, auto, auto) {
    const std::uint32_t below = a & 0x1fffff;
    return below == 0 ? ~0U : 31 - static_cast<std::uint32_t>(std::countl_zero(below));
  });
  check("prmt.b32.b4e %d, %a, %b, 1;", [](auto a, auto b, auto) {
    return (a >> 8 & 0xff) | (a & 0xff) << 8 | (b >> 24) << 16 | (b >> 16 & 0xff) << 24;
  });
  check("prmt.b32.ecl %d, %a, %b, 2;",
        [](auto a, auto, auto) { return (a >> 16 & 0xff) * 0x00010101U | (a >> 24) << 24; });
  check("bfind.s32 %d, %a;", [](auto a, auto, auto) {
    const std::uint32_t bits = as_signed(a) < 0 ? ~a : a;
    return bits == 0 ? ~0U : 31 - static_cast<std::uint32_t>(std::countl_zero(bits));
  });
  check("brev.b32 %d, %a;", [](auto a, auto, auto) {
    std::uint32_t reversed = 0;
    for (int i = 0; i < 32; ++i) reversed |= (a >> i & 1) << (31 - i);
    return reversed;
  });
}

TEST_CASE("pairs of 16-bit integers") {
  const auto halves = [](std::uint32_t a, std::uint32_t b, auto f) {
    const auto low =
        static_cast<std::uint16_t>(f(static_cast<std::int16_t>(a), static_cast<std::int16_t>(b)));
    const auto high =
        static_cast<std::uint16_t>(f(static_cast<std::int16_t>(a >> 16), static_cast<std::int16_t>(b >> 16)));
    return low | std::uint32_t{high} << 16;
  };
  check("add.sat.s16x2 %d, %a, %b;", [&](auto a, auto b, auto) {
    return halves(a, b, [](int x, int y) { return std::clamp(x + y, -32768, 32767); });
  });
  check("min.relu.s16x2 %d, %a, %b;", [&](auto a, auto b, auto) {
    return halves(a, b, [](int x, int y) { return std::max(0, std::min(x, y)); });
  });
  check("cvt.pack.sat.s16.s32 %d, %a, %b;", [](auto a, auto b, auto) {
    const auto fit = [](std::uint32_t x) {
      return static_cast<std::uint16_t>(std::clamp(as_signed(x), -32768, 32767));
    };
    return fit(b) | std::uint32_t{fit(a)} << 16;
  });
  check("cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", [](auto a, auto b, auto c) {
    const auto fit = [](std::uint32_t x) {
      return static_cast<std::uint32_t>(std::clamp(as_signed(x), 0, 255));
    };
    return fit(b) | fit(a) << 8 | c << 16;
  });
}

TEST_CASE("choices between floats") {
  const auto magnitude_sign = [](float a, float b, float found) {
    return bits_of(
        std::isnan(found) ? found : std::copysign(found, std::signbit(a) != std::signbit(b) ? -1.0F : 1.0F));
  };
  check("min.xorsign.abs.f32 %d, %a, %b;", [&](auto a, auto b, auto) {
    const float x = as_float(a);
    const float y = as_float(b);
    return magnitude_sign(x, y, std::fmin(std::fabs(x), std::fabs(y)));
  });
  check("max.NaN.f32 %d, %a, %b;", [](auto a, auto b, auto) {
    const float x = as_float(a);
    const float y = as_float(b);
    if (std::isnan(x) || std::isnan(y)) return 0x7fffffffU;
    return bits_of(x == y && std::signbit(x) ? y : std::max(x, y));
  });
  check("copysign.f32 %d, %a, %b;",
        [](auto a, auto b, auto) { return (a & 0x80000000U) | (b & 0x7fffffffU); });
  check("slct.u32.s32 %d, %a, %b, %c;", [](auto a, auto b, auto c) { return as_signed(c) >= 0 ? a : b; });
  check("slct.b32.f32 %d, %a, %b, %c;", [](auto a, auto b, auto c) { return as_float(c) >= 0 ? a : b; });
  check("set.lt.u32.f32 %d, %a, %b;",
        [](auto a, auto b, auto) { return as_float(a) < as_float(b) ? ~0U : 0; });
  check("set.gtu.f32.f32 %d, %a, %b;",
        [](auto a, auto b, auto) { return as_float(a) <= as_float(b) ? 0 : 0x3f800000U; });
  check(".reg .pred %q; setp.eq.ftz.f32 %q, %a, %b;" + choose,
        [](auto a, auto b, auto) { return flush(as_float(a)) == flush(as_float(b)) ? 1 : 0; });
  check(".reg .pred %q; testp.subnormal.f32 %q, %a;" + choose,
        [](auto a, auto, auto) { return std::fpclassify(as_float(a)) == FP_SUBNORMAL ? 1 : 0; });
  check(".reg .pred %q; testp.normal.f32 %q, %a;" + choose,
        [](auto a, auto, auto) { return std::isnormal(as_float(a)) ? 1 : 0; });
  check(".reg .pred %q; testp.infinite.f32 %q, %a;" + choose,
        [](auto a, auto, auto) { return std::isinf(as_float(a)) ? 1 : 0; });
  check(".reg .pred %q; testp.finite.f32 %q, %a;" + choose,
        [](auto a, auto, auto) { return std::isfinite(as_float(a)) ? 1 : 0; });
}

TEST_CASE("approximations keep within PTX's errors") {
  const auto near = [](const std::string& text, auto function, double relative, double absolute) {
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      const Words a = difficult_words(seed);
      const Words got = execute(text, a);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        CAPTURE(text);
        CAPTURE(as_float(a[lane]));
        const double expected = function(double{as_float(a[lane])});
        const float found = as_float(got[lane]);
        if (std::isnan(expected)) {
          CHECK(std::isnan(found));
        } else if (std::abs(expected) > std::numeric_limits<float>::max()) {
          CHECK(std::isinf(found));
        } else {
          CHECK(std::abs(found - expected) <= std::abs(expected) * relative + absolute);
        }
      }
    }
  };
  near("rsqrt.approx.f32 %d, %a;", [](double x) { return 1 / std::sqrt(x); }, 0x1p-22, 0);
  near("ex2.approx.f32 %d, %a;", [](double x) { return std::exp2(x); }, 0x1p-22, 0x1p-149);
  near("lg2.approx.f32 %d, %a;", [](double x) { return std::log2(x); }, 0x1p-22, 0x1p-22);
  near("tanh.approx.f32 %d, %a;", [](double x) { return std::tanh(x); }, 0x1p-10, 0);
}

TEST_CASE("what a NaN becomes as an integer") {
  const Words nan(32, 0x7fc00000);
  CHECK(execute("cvt.rzi.s32.f32 %d, %a;", nan)[0] == 0);
  CHECK(execute(".reg .f64 %x; cvt.f64.f32 %x, %a; cvt.rzi.s32.f64 %d, %x;", nan)[0] == 0x80000000U);
  CHECK(execute(".reg .b64 %x; .reg .b32 %l; cvt.rzi.u64.f32 %x, %a; mov.b64 {%l, %d}, %x;", nan)[0] ==
        0x80000000U);
}
