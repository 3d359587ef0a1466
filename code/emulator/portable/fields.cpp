/// @file
/// Integer instructions that programs seldom write: 24-bit products, dot products of halves, masks, bytes
/// picked by a mode, pairs of 16-bit integers.

#include <algorithm>
#include <bit>
#include <limits>

#include "emulator/portable/all.hpp"
#include "emulator/vector/families.hpp"
#include "emulator/vector/integer_rules.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// Bits 16 to 47 of the product of the lowest 24 bits.
template <class T>
constexpr T high_product24(T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  return static_cast<T>(static_cast<Wide>(a << 8 >> 8) * static_cast<Wide>(b << 8 >> 8) >> 16);
}

/// `dp2a`: the halves of `a` times two bytes of `b`, those from `first` on.
template <class A, class B>
constexpr std::uint32_t dot2(std::uint32_t a, std::uint32_t b, std::uint32_t c, int first) {
  for (int i = 0; i < 2; ++i) {
    c += static_cast<std::uint32_t>(static_cast<A>(a >> (16 * i)) * static_cast<B>(b >> (8 * (first + i))));
  }
  return c;
}

template <class A, class B>
void add_dot2(Table& table, const char* types, ptx::Type type) {
  const auto low = [](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return dot2<A, B>(a, b, c, 0); };
  const auto high = [](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return dot2<A, B>(a, b, c, 2); };
  using Word = std::uint32_t;
  table.add("dp2a.lo", types, &compute<decltype(low), Word, Word, Word, Word>,
            {type, ptx::Type::u32, ptx::Type::u32, type});
  table.add("dp2a.hi", types, &compute<decltype(high), Word, Word, Word, Word>,
            {type, ptx::Type::u32, ptx::Type::u32, type});
}

/// `fns`: the position of the offset-th set bit from `base` on, upwards or downwards; all ones if there is
/// none.
constexpr std::uint32_t nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  const auto is_set = [&](std::int64_t bit) { return (mask >> bit & 1U) != 0; };
  if (base > 31) return ~0U;
  if (offset == 0) return is_set(base) ? base : ~0U;
  const int step = offset > 0 ? 1 : -1;
  std::int64_t wanted = offset > 0 ? offset : -std::int64_t{offset};
  for (std::int64_t bit = base; bit >= 0 && bit < 32; bit += step) {
    if (is_set(bit) && --wanted == 0) return static_cast<std::uint32_t>(bit);
  }
  return ~0U;
}

/// `bmsk`: `count` ones from bit `start` on.
constexpr std::uint32_t mask_of(std::uint32_t start, std::uint32_t count) {
  if (start > 31) return 0;
  const std::uint32_t ones = count > 31 ? ~0U : (1U << count) - 1;
  return ones << start;
}

/// `szext`: the lowest `width` bits, extended.
template <class T>
constexpr T extended(T a, std::uint32_t width) {
  if (width > 31) return a;
  if (width == 0) return 0;
  return static_cast<T>(a << (32 - width)) >> (32 - width);
}

/// `prmt` with a mode: the lowest two bits of `c` choose one of four patterns of byte numbers.
template <std::uint32_t pattern0, std::uint32_t pattern1, std::uint32_t pattern2, std::uint32_t pattern3>
struct Pick {
  constexpr std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t patterns[4] = {pattern0, pattern1, pattern2, pattern3};
    const std::uint64_t bytes = a | std::uint64_t{b} << 32;
    std::uint32_t result = 0;
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t number = patterns[c & 3] >> (4 * i) & 7;
      result |= static_cast<std::uint32_t>(bytes >> (8 * number) & 0xff) << (8 * i);
    }
    return result;
  }
};

constexpr auto packed_sum = [](auto a, auto b) { return a + b; };
constexpr auto packed_smaller = [](auto a, auto b) { return std::min(a, b); };
constexpr auto packed_larger = [](auto a, auto b) { return std::max(a, b); };

/// `.relu`: nothing below zero.
template <class Function>
struct NotNegative {
  template <class T>
  constexpr T operator()(T a, T b) const {
    return std::max<T>(0, static_cast<T>(Function{}(a, b)));
  }
};

struct ClampedSum {
  template <class T>
  constexpr T operator()(T a, T b) const {
    return static_cast<T>(
        std::clamp(a + b, int{std::numeric_limits<T>::min()}, int{std::numeric_limits<T>::max()}));
  }
};

template <class T, class Function>
void add_packed(Table& table, const char* name, ptx::Type type) {
  table.add(name, "", &compute<OfHalves<T, Function>, std::uint32_t, std::uint32_t, std::uint32_t>,
            {type, type, type});
}

void add_pairs(Table& table) {
  using Signed = std::int16_t;
  using Unsigned = std::uint16_t;
  using ptx::Type;
  add_packed<Unsigned, decltype(packed_sum)>(table, "add.u16x2", Type::u16x2);
  add_packed<Signed, decltype(packed_sum)>(table, "add.s16x2", Type::s16x2);
  add_packed<Unsigned, ClampedSum>(table, "add.sat.u16x2", Type::u16x2);
  add_packed<Signed, ClampedSum>(table, "add.sat.s16x2", Type::s16x2);
  add_packed<Unsigned, decltype(packed_smaller)>(table, "min.u16x2", Type::u16x2);
  add_packed<Signed, decltype(packed_smaller)>(table, "min.s16x2", Type::s16x2);
  add_packed<Unsigned, decltype(packed_larger)>(table, "max.u16x2", Type::u16x2);
  add_packed<Signed, decltype(packed_larger)>(table, "max.s16x2", Type::s16x2);
  add_packed<Signed, NotNegative<decltype(packed_smaller)>>(table, "min.relu.s16x2", Type::s16x2);
  add_packed<Signed, NotNegative<decltype(packed_larger)>>(table, "max.relu.s16x2", Type::s16x2);
  binary(table, "min.relu", NotNegative<decltype(packed_smaller)>{}, s32);
  binary(table, "max.relu", NotNegative<decltype(packed_larger)>{}, s32);
}

/// `cvt.pack.sat`: two integers clamped to 16 bits, or to 8 bits with two bytes of `c` above them.
template <class To>
constexpr std::uint32_t packed_pair(std::int32_t upper, std::int32_t lower, std::uint32_t rest) {
  constexpr int width = sizeof(To) * 8;
  const auto fit = [](std::int32_t value) {
    using Limits = std::numeric_limits<To>;
    return static_cast<std::uint32_t>(
        static_cast<std::make_unsigned_t<To>>(std::clamp<std::int32_t>(value, Limits::min(), Limits::max())));
  };
  const std::uint32_t pair = fit(lower) | fit(upper) << width;
  return width == 8 ? pair | rest << 16 : pair;
}

void add_packing_conversions(Table& table) {
  const auto pair = [](auto to) {
    return [](std::int32_t a, std::int32_t b) { return packed_pair<decltype(to)>(a, b, 0); };
  };
  const auto onto = [](auto to) {
    return [](std::int32_t a, std::int32_t b, std::uint32_t c) { return packed_pair<decltype(to)>(a, b, c); };
  };
  single(table, "cvt.pack.sat.u16.s32", pair(std::uint16_t{}), u32, s32, s32);
  single(table, "cvt.pack.sat.s16.s32", pair(std::int16_t{}), u32, s32, s32);
  single(table, "cvt.pack.sat.u8.s32.b32", onto(std::uint8_t{}), u32, s32, s32, u32);
  single(table, "cvt.pack.sat.s8.s32.b32", onto(std::int8_t{}), u32, s32, s32, u32);
}

}  // namespace

void add_fields(Table& table) {
  binary(table, "mul24.hi", [](auto a, auto b) { return high_product24(a, b); }, u32, s32);
  ternary(table, "mad24.hi", [](auto a, auto b, auto c) { return high_product24(a, b) + c; }, u32, s32);
  single(
      table, "mad24.hi.sat.s32",
      [](std::int32_t a, std::int32_t b, std::int32_t c) {
        return clamped(std::int64_t{high_product24(a, b)} + c);
      },
      s32, s32, s32, s32);
  single(
      table, "mad.hi.sat.s32",
      [](std::int32_t a, std::int32_t b, std::int32_t c) { return clamped((std::int64_t{a} * b >> 32) + c); },
      s32, s32, s32, s32);
  add_dot2<std::uint16_t, std::uint8_t>(table, ".u32.u32", ptx::Type::u32);
  add_dot2<std::uint16_t, std::int8_t>(table, ".u32.s32", ptx::Type::s32);
  add_dot2<std::int16_t, std::uint8_t>(table, ".s32.u32", ptx::Type::s32);
  add_dot2<std::int16_t, std::int8_t>(table, ".s32.s32", ptx::Type::s32);
  single(
      table, "fns.b32", [](std::uint32_t a, std::uint32_t b, std::int32_t c) { return nth_set(a, b, c); },
      b32, b32, b32, s32);
  single(table, "bmsk.clamp.b32", [](auto a, auto b) { return mask_of(a, b); }, b32, u32, u32);
  single(table, "bmsk.wrap.b32", [](auto a, auto b) { return mask_of(a & 31, b & 31); }, b32, u32, u32);
  single(table, "szext.clamp.u32", [](auto a, auto b) { return extended(a, b); }, u32, u32, u32);
  single(table, "szext.clamp.s32", [](auto a, auto b) { return extended(a, b); }, s32, s32, u32);
  single(table, "szext.wrap.u32", [](auto a, auto b) { return extended(a, b & 31); }, u32, u32, u32);
  single(table, "szext.wrap.s32", [](auto a, auto b) { return extended(a, b & 31); }, s32, s32, u32);
  single(table, "prmt.b32.f4e", Pick<0x3210, 0x4321, 0x5432, 0x6543>{}, b32, b32, b32, b32);
  single(table, "prmt.b32.b4e", Pick<0x5670, 0x6701, 0x7012, 0x0123>{}, b32, b32, b32, b32);
  single(table, "prmt.b32.rc8", Pick<0x0000, 0x1111, 0x2222, 0x3333>{}, b32, b32, b32, b32);
  single(table, "prmt.b32.ecl", Pick<0x3210, 0x3211, 0x3222, 0x3333>{}, b32, b32, b32, b32);
  single(table, "prmt.b32.ecr", Pick<0x0000, 0x1110, 0x2210, 0x3210>{}, b32, b32, b32, b32);
  single(table, "prmt.b32.rc16", Pick<0x1010, 0x3232, 0x1010, 0x3232>{}, b32, b32, b32, b32);
  add_pairs(table);
  add_packing_conversions(table);
}

}  // namespace weft::emulator::WEFT_ISA
