// 16-bit floats, against a search among all of their values.

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "check_instruction.hpp"

using namespace weft::emulator;

namespace {

/// A format of up to 16 bits, as its definition says.
struct Format {
  int exponent_bits, fraction_bits;
  bool infinities = true;

  [[nodiscard]] double value(std::uint32_t bits) const {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int field = static_cast<int>(bits >> fraction_bits & ((1U << exponent_bits) - 1));
    const auto fraction = static_cast<double>(bits & ((1U << fraction_bits) - 1));
    const bool negative = (bits >> (exponent_bits + fraction_bits) & 1) != 0;
    double size = 0;
    if (field == (1 << exponent_bits) - 1 && infinities) {
      size = fraction == 0 ? INFINITY : NAN;
    } else if (field == (1 << exponent_bits) - 1 && fraction == std::ldexp(1.0, fraction_bits) - 1) {
      size = NAN;
    } else if (field == 0) {
      size = std::ldexp(fraction, 1 - bias - fraction_bits);
    } else {
      size = std::ldexp(fraction + std::ldexp(1.0, fraction_bits), field - bias - fraction_bits);
    }
    return negative ? -size : size;
  }

  /// The nearest of the format's values; of two as near the even one; beyond the last one infinity.
  [[nodiscard]] std::uint32_t nearest(long double number) const {
    if (std::isnan(number)) return 0x7fff;
    const std::uint32_t sign = std::signbit(number) ? 1U << (exponent_bits + fraction_bits) : 0;
    const long double size = std::fabs(number);
    std::uint32_t low = 0;  // the largest whose value is not above
    std::uint32_t high = ((1U << exponent_bits) - 1) << fraction_bits;
    if (!infinities) high += (1U << fraction_bits) - 1;
    const std::uint32_t end = high;
    while (low + 1 < high) {
      const std::uint32_t middle = (low + high) / 2;
      (value(middle) <= size ? low : high) = middle;
    }
    if (std::isinf(number)) return sign | end;
    const long double above =
        high == end ? 2.0L * value(end - 1) - value(end - 2) : static_cast<long double>(value(high));
    const long double down = size - value(low);
    const long double up = above - size;
    const bool take_high = up < down || (up == down && (low & 1) != 0);
    return sign | (take_high ? high : low);
  }
};

constexpr Format half{5, 10};
constexpr Format bfloat{8, 7};

/// 32 words of two 16-bit floats each, special ones among them.
Words pairs(std::uint32_t seed) {
  const Words edges{0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x7bff, 0x7c00, 0xfc00,
                    0x7e00, 0x3c00, 0x3f80, 0xbc00, 0x7f7f, 0x7f80, 0x007f, 0x0080, 0x3c01};
  std::mt19937 random(seed);
  const auto one = [&] { return random() % 3 == 0 ? edges[random() % edges.size()] : random() & 0xffffU; };
  Words words(32);
  for (std::uint32_t& word : words) word = one() | one() << 16;
  return words;
}

std::uint32_t comparable(const Format& format, std::uint32_t bits) {
  return std::isnan(format.value(bits)) ? 0x7fff : bits;
}

/// Holds an instruction on pairs against a function of the values, and its single form, too.
template <class Function>
void hold(const Format& format, const std::string& opcode, const std::string& operands, Function f) {
  const std::string type = format.exponent_bits == 5 ? ".f16" : ".bf16";
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Words a = pairs(3 * seed);
    const Words b = pairs(3 * seed + 1);
    const Words c = pairs(3 * seed + 2);
    const Words both = execute(joined({opcode, type, "x2 %d, ", operands, ";"}), a, b, c);
    const std::string narrow =
        ".reg .b16 %x, %y, %z, %r; cvt.u16.u32 %x, %a; cvt.u16.u32 %y, %b; cvt.u16.u32 %z, %c; ";
    std::string small = operands;
    std::ranges::replace(small, 'a', 'x');
    std::ranges::replace(small, 'b', 'y');
    std::ranges::replace(small, 'c', 'z');
    const Words one =
        execute(joined({narrow, opcode, type, " %r, ", small, "; cvt.u32.u16 %d, %r;"}), a, b, c);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (int shift = 0; shift < 32; shift += 16) {
        const auto part = [&](const Words& words) { return words[lane] >> shift & 0xffffU; };
        CAPTURE(opcode);
        CAPTURE(part(a));
        CAPTURE(part(b));
        CAPTURE(part(c));
        const std::uint32_t expected =
            comparable(format, f(format.value(part(a)), format.value(part(b)), format.value(part(c))));
        CHECK(comparable(format, part(both)) == expected);
        if (shift == 0) CHECK(comparable(format, one[lane]) == expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("f16 and bf16 compute as if exactly, and round once") {
  for (const Format& format : {half, bfloat}) {
    using Exact = long double;
    hold(format, "add", "%a, %b", [&](Exact a, Exact b, Exact) { return format.nearest(a + b); });
    hold(format, "sub", "%a, %b", [&](Exact a, Exact b, Exact) { return format.nearest(a - b); });
    hold(format, "mul", "%a, %b", [&](Exact a, Exact b, Exact) { return format.nearest(a * b); });
    const auto fused = [&](Exact a, Exact b, Exact c) {
      const Exact sum = a * b + c;  // what is lost here decides only between two that are as near
      const Exact back = sum - c;
      const Exact error = (a * b - back) + (c - (sum - back));
      if (!std::isfinite(sum) || error == 0) return sum;
      return std::nextafter(sum, error > 0 ? Exact{INFINITY} : -Exact{INFINITY});
    };
    hold(format, "fma.rn", "%a, %b, %c",
         [&](Exact a, Exact b, Exact c) { return format.nearest(fused(a, b, c)); });
    hold(format, "fma.rn.relu", "%a, %b, %c", [&](Exact a, Exact b, Exact c) {
      const Exact sum = fused(a, b, c);
      return sum <= 0 ? 0 : format.nearest(sum);
    });
  }
}

TEST_CASE("f16 saturates and flushes") {
  hold(half, "mul.sat", "%a, %b", [](double a, double b, double) {
    const double product = a * b;
    return half.nearest(product > 0 ? std::min(product, 1.0) : 0.0);
  });
  hold(half, "add.ftz", "%a, %b", [](double a, double b, double) {
    const auto flush = [](double x) { return std::abs(x) < 0x1p-14 ? std::copysign(0.0, x) : x; };
    const std::uint32_t sum = half.nearest(flush(a) + flush(b));
    return half.nearest(flush(half.value(sum)));
  });
}

TEST_CASE("f16 and bf16: the smaller, the larger, the sign") {
  for (const Format& format : {half, bfloat}) {
    const auto smaller = [](double a, double b) {
      return std::isnan(a) ? b : (std::isnan(b) ? a : (a == b && std::signbit(a) ? a : std::min(b, a)));
    };
    hold(format, "min", "%a, %b", [&](double a, double b, double) { return format.nearest(smaller(a, b)); });
    hold(format, "max", "%a, %b",
         [&](double a, double b, double) { return format.nearest(-smaller(-a, -b)); });
    hold(format, "min.NaN", "%a, %b", [&](double a, double b, double) {
      return format.nearest(std::isnan(a + b) && !(std::isinf(a) && std::isinf(b)) ? NAN : smaller(a, b));
    });
    hold(format, "neg", "%a", [&](double a, double, double) { return format.nearest(-a); });
    hold(format, "abs", "%a", [&](double a, double, double) { return format.nearest(std::abs(a)); });
  }
}

TEST_CASE("floats become 16-bit floats") {
  for (const auto& [format, type] : {std::pair{half, "f16"}, std::pair{bfloat, "bf16"}}) {
    const std::string name(type);
    const std::string narrow = ".reg .b16 %r; cvt.rn." + name + ".f32 %r, %a; cvt.u32.u16 %d, %r;";
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      std::mt19937 random(seed);
      Words a = difficult_words(seed);
      for (std::uint32_t& word : a) {  // near what the format can hold, and halfway between
        if (random() % 2 == 0)
          word = std::bit_cast<std::uint32_t>(static_cast<float>(format.value(random() & 0xffffU))) +
                 (random() % 3 - 1) * (random() % 2 == 0 ? 1U : 1U << (22 - format.fraction_bits));
      }
      const Words got = execute(narrow, a);
      const Words both = execute("cvt.rn." + name + "x2.f32 %d, %a, %b;", a, Words(32, 0x3f800000));
      for (std::size_t lane = 0; lane < 32; ++lane) {
        CAPTURE(name);
        CAPTURE(a[lane]);
        const std::uint32_t expected = comparable(format, format.nearest(as_float(a[lane])));
        CHECK(comparable(format, got[lane]) == expected);
        CHECK(comparable(format, both[lane] >> 16) == expected);
        CHECK((both[lane] & 0xffffU) == format.nearest(1));
      }
    }
    // Towards zero, and exactly back.
    check(joined({".reg .b16 %r; cvt.rz.", name, ".f32 %r, %a; cvt.f32.", name, " %d, %r;"}),
          [&](auto a, auto, auto) {
            const float value = as_float(a);
            if (std::isnan(value)) return format.exponent_bits == 5 ? 0x7fffffffU : 0x7fff0000U;
            std::uint32_t bits = format.nearest(value);
            if (std::isfinite(value) && std::abs(format.value(bits)) > std::abs(value)) --bits;
            return bits_of(static_cast<float>(format.value(bits)));
          });
  }
}

TEST_CASE("16-bit floats and integers") {
  check(".reg .b16 %r; cvt.rn.f16.s32 %r, %a; cvt.u32.u16 %d, %r;",
        [](auto a, auto, auto) { return half.nearest(as_signed(a)); });
  check(".reg .b16 %r; .reg .b64 %w; mov.b64 %w, {%a, %b}; cvt.rn.bf16.u64 %r, %w; cvt.u32.u16 %d, %r;",
        [](std::uint64_t a, std::uint64_t b, auto) {
          return bfloat.nearest(static_cast<long double>(a | b << 32));
        });
  check(".reg .b16 %r; cvt.u16.u32 %r, %a; cvt.rmi.s32.f16 %d, %r;", [](auto a, auto, auto) {
    const double value = half.value(a & 0xffff);
    if (std::isnan(value)) return std::int64_t{0};
    return static_cast<std::int64_t>(std::clamp(std::floor(value), -2147483648.0, 2147483647.0));
  });
}

TEST_CASE("comparisons of 16-bit floats") {
  const std::string setp = ".reg .pred %p, %q; .reg .b32 %x, %y; ";
  const std::string bits = " selp.b32 %x, 1, 0, %p; selp.b32 %y, 2, 0, %q; or.b32 %d, %x, %y;";
  check(setp + "setp.lt.f16x2 %p|%q, %a, %b;" + bits, [](auto a, auto b, auto) {
    return (half.value(a & 0xffff) < half.value(b & 0xffff) ? 1 : 0) +
           (half.value(a >> 16) < half.value(b >> 16) ? 2 : 0);
  });
  check("set.gtu.bf16x2.bf16x2 %d, %a, %b;", [](auto a, auto b, auto) {
    return (bfloat.value(a & 0xffff) <= bfloat.value(b & 0xffff) ? 0 : 0x3f80) |
           (bfloat.value(a >> 16) <= bfloat.value(b >> 16) ? 0 : 0x3f800000);
  });
  check("set.eq.u32.f16x2 %d, %a, %b;", [](auto a, auto b, auto) {
    return (half.value(a & 0xffff) == half.value(b & 0xffff) ? 0xffffU : 0U) |
           (half.value(a >> 16) == half.value(b >> 16) ? 0xffff0000U : 0U);
  });
}

TEST_CASE("tf32 keeps ten bits of a fraction, and halfway goes away from zero") {
  check("cvt.rna.tf32.f32 %d, %a;", [](auto a, auto, auto) {
    const float value = as_float(a);
    if (std::isnan(value)) return a & ~0x1fffU;
    if (std::isinf(value)) return a;
    return (a + 0x1000U) & ~0x1fffU;
  });
}

TEST_CASE("8-bit floats saturate") {
  for (const auto& [format, name, largest] :
       {std::tuple{Format{4, 3, false}, "e4m3x2", 0x7eU}, std::tuple{Format{5, 2}, "e5m2x2", 0x7bU}}) {
    check(".reg .b16 %r; cvt.rn.satfinite." + std::string(name) + ".f32 %r, %a, %b; cvt.u32.u16 %d, %r;",
          [&, &format = format, &largest = largest](auto a, auto b, auto) {
            const auto one = [&](std::uint32_t word) {
              const float value = as_float(word);
              if (std::isnan(value)) return 0x7fU;
              const std::uint32_t sign = std::signbit(value) ? 0x80 : 0;
              return sign | std::min(format.nearest(std::abs(value)), largest);
            };
            return one(b) | one(a) << 8;
          });
    check(".reg .b16 %r; cvt.u16.u32 %r, %a; cvt.rn.f16x2." + std::string(name) +
              " %d, %r; and.b32 %d, %d, 0xffff;",
          [&, &format = format](auto a, auto, auto) {
            const double value = format.value(a & 0xff);
            return half.nearest(value);
          });
  }
}
