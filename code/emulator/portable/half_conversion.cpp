/// @file
/// Conversions to and from floats of 16 and 8 bits and tf32, and those to float and double that do not round
/// to nearest.

#include <bit>
#include <cmath>

#include "emulator/portable/all.hpp"
#include "emulator/vector/families.hpp"
#include "emulator/vector/float_rules.hpp"
#include "emulator/vector/small_conversion.hpp"
#include "emulator/vector/small_float.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// Calls `add(name, rounding)` with each of the directions, as a constant.
void each_direction(auto add) {
  add(".rn", std::integral_constant<Rounding, Rounding::rn>{});
  add(".rz", std::integral_constant<Rounding, Rounding::rz>{});
  add(".rm", std::integral_constant<Rounding, Rounding::rm>{});
  add(".rp", std::integral_constant<Rounding, Rounding::rp>{});
}

void each_bound(auto add) {
  add("", std::integral_constant<Bound, Bound::none>{});
  add(".sat", std::integral_constant<Bound, Bound::sat>{});
  add(".relu", std::integral_constant<Bound, Bound::relu>{});
  add(".satfinite", std::integral_constant<Bound, Bound::finite>{});
  add(".relu.satfinite", std::integral_constant<Bound, Bound::relu_finite>{});
}

/// Everything to f16 or bf16.
template <class Format, class To, class Pair>
void add_narrowing(Table& table, To to, Pair pair) {
  each_direction([&](const char* direction, auto rounding) {
    constexpr Rounding r = decltype(rounding)::value;
    const auto add = [&](auto... from) {
      (table.add({"cvt", direction, to.name, from.name},
                 &compute<ToBits<Format, r>, std::uint16_t, typename decltype(from)::Value>,
                 {To::ptx_type, decltype(from)::ptx_type}),
       ...);
    };
    add(u8, s8, u16, s16, u32, s32, u64, s64, f64);
    each_bound([&](const char* name, auto bound) {
      using Convert = ToBits<Format, r, decltype(bound)::value>;
      table.add({"cvt", direction, name, to.name, ".f32"}, &compute<Convert, std::uint16_t, float>,
                {To::ptx_type, ptx::Type::f32});
      table.add({"cvt", direction, name, pair.name, ".f32"},
                &compute<ToPair<Convert, 16>, std::uint32_t, float, float>,
                {Pair::ptx_type, ptx::Type::f32, ptx::Type::f32});
    });
  });
}

template <class To, class From, class Function>
void add_conversion(Table& table, const char* name, To to, From from, Function) {
  table.add({name, to.name, from.name}, &compute<Function, typename To::Value, typename From::Value>,
            {To::ptx_type, From::ptx_type});
}

/// Rounds to a whole number, and clamps to what an integer holds. A NaN becomes 0, or with 64 bits the
/// topmost bit alone.
template <class T, Rounding rounding>
struct ToInteger {
  T operator()(float value) const {
    const double found = whole<rounding>(value);
    constexpr T half = std::numeric_limits<T>::max() / 2 + 1;
    constexpr T nan = sizeof(T) == 8 ? static_cast<T>(std::uint64_t{1} << 63) : T{0};
    if (!(found > static_cast<double>(std::numeric_limits<T>::min())))
      return value == value ? std::numeric_limits<T>::min() : nan;
    return found < static_cast<double>(half) * 2 ? static_cast<T>(found) : std::numeric_limits<T>::max();
  }
};

/// f16 or bf16 to everything.
template <class Format, class From, class Other, class OtherFormat>
void add_widening(Table& table, From from, Other other, OtherFormat) {
  add_conversion(table, "cvt", f32, from, FromBits<Format, Exactly<Format>>{});
  add_conversion(table, "cvt.ftz", f32, from, FromBits<Format, Exactly<Format>>{});
  add_conversion(table, "cvt", f64, from, FromBits<Format, decltype([](float v) { return double{v}; })>{});
  const auto clamp = [](float value) { return saturated(value); };
  add_conversion(table, "cvt.sat", f32, from, FromBits<Format, decltype(clamp)>{});
  add_conversion(table, "cvt.sat", from, from,
                 FromBits<Format, decltype([](float v) { return Format::bits_of(double{saturated(v)}); })>{});
  add_conversion(table, "cvt", from, from, [](std::uint16_t bits) { return bits; });
  each_direction([&](const char* direction, auto rounding) {
    constexpr Rounding r = decltype(rounding)::value;
    table.add({"cvt", direction, other.name, from.name},
              &compute<FromBits<Format, ToBits<OtherFormat, r>>, std::uint16_t, std::uint16_t>,
              {Other::ptx_type, From::ptx_type});
    const auto add = [&](auto... to) {
      (table.add({"cvt", direction, "i", to.name, from.name},
                 &compute<FromBits<Format, ToInteger<typename decltype(to)::Value, r>>,
                          typename decltype(to)::Value, std::uint16_t>,
                 {decltype(to)::ptx_type, From::ptx_type}),
       ...);
    };
    add(u8, s8, u16, s16, u32, s32, u64, s64);
    const auto signed_whole = [](float value) {
      return Format::bits_of(std::copysign(whole<r>(double{value}), double{value}));
    };
    table.add({"cvt", direction, "i", from.name, from.name},
              &compute<FromBits<Format, decltype(signed_whole)>, std::uint16_t, std::uint16_t>,
              {From::ptx_type, From::ptx_type});
  });
}

template <Rounding rounding>
void add_tensor32(Table& table, const char* direction) {
  const auto add = [&](const char* name, Handler run) {
    table.add({"cvt", direction, name, ".tf32.f32"}, run, {ptx::Type::b32, ptx::Type::f32});
  };
  add("", &compute<ToTensor32<rounding, Bound::none>, float, float>);
  add(".relu", &compute<ToTensor32<rounding, Bound::relu>, float, float>);
  add(".satfinite", &compute<ToTensor32<rounding, Bound::finite>, float, float>);
  add(".satfinite.relu", &compute<ToTensor32<rounding, Bound::relu_finite>, float, float>);
}

/// To and from 8 bits, in pairs.
template <class Format>
void add_quarter(Table& table, const char* name, ptx::Type type) {
  using ptx::Type;
  const auto add = [&](const char* modifiers, auto convert) {
    using Convert = decltype(convert);
    table.add({"cvt.rn", modifiers, name, ".f32"}, &compute<ToPair<Convert, 8>, std::uint16_t, float, float>,
              {type, Type::f32, Type::f32});
    const auto from_halves = [](std::uint32_t pair) {
      return ToPair<Convert, 8>{}(Half::value(static_cast<std::uint16_t>(pair >> 16)),
                                  Half::value(static_cast<std::uint16_t>(pair)));
    };
    table.add({"cvt.rn", modifiers, name, ".f16x2"},
              &compute<decltype(from_halves), std::uint16_t, std::uint32_t>, {type, Type::f16x2});
  };
  add(".satfinite", ToBits<Format, Rounding::rn, Bound::finite>{});
  add(".satfinite.relu", ToBits<Format, Rounding::rn, Bound::relu_finite>{});
  const auto widen = [](std::uint16_t pair) {
    const std::uint32_t low = Half::bits_of(Format::value(static_cast<std::uint8_t>(pair)));
    return low |
           static_cast<std::uint32_t>(Half::bits_of(Format::value(static_cast<std::uint8_t>(pair >> 8))))
               << 16;
  };
  table.add({"cvt.rn", ".f16x2", name}, &compute<decltype(widen), std::uint32_t, std::uint16_t>,
            {Type::f16x2, type});
  const auto positive = [](std::uint16_t pair) {
    const std::uint32_t wide = decltype(widen){}(pair);
    const auto kept = [](std::uint32_t half) {
      return (half & 0x8000U) != 0 && half <= 0xfc00U ? 0 : half & 0x7fffU;
    };
    return kept(wide & 0xffffU) | kept(wide >> 16) << 16;
  };
  table.add({"cvt.rn.relu", ".f16x2", name}, &compute<decltype(positive), std::uint32_t, std::uint16_t>,
            {Type::f16x2, type});
}

/// To double from 64-bit integers: cut at 53 bits, and up by one where the direction says so.
template <class T, Rounding rounding>
struct ToDouble {
  double operator()(T value) const {
    const bool negative = std::is_signed_v<T> && value < 0;
    auto size = static_cast<std::uint64_t>(value);
    if (negative) size = 0 - size;
    const int bits = 64 - std::countl_zero(size);
    const int cut = bits > 53 ? bits - 53 : 0;
    std::uint64_t kept = size >> cut;
    const bool away = (rounding == Rounding::rp && !negative) || (rounding == Rounding::rm && negative);
    if (away && kept << cut != size) ++kept;
    const double found =
        static_cast<double>(kept) * std::bit_cast<double>(static_cast<std::uint64_t>(cut + 1023) << 52);
    return negative ? -found : found;
  }
};

/// To float and double, not to nearest.
void add_directed(Table& table) {
  each_direction([&](const char* direction, auto rounding) {
    constexpr Rounding r = decltype(rounding)::value;
    if constexpr (r != Rounding::rn) {
      const auto to_float = [](auto value) {
        return canonical(static_cast<float>(rounded<Single, r>(as_double(value))));
      };
      const auto add = [&](auto... from) {
        (table.add({"cvt", direction, ".f32", from.name},
                   &compute<decltype(to_float), float, typename decltype(from)::Value>,
                   {ptx::Type::f32, decltype(from)::ptx_type}),
         ...);
        (table.add(
             {"cvt", direction, ".f64", from.name},
             &compute<ToDouble<typename decltype(from)::Value, r>, double, typename decltype(from)::Value>,
             {ptx::Type::f64, decltype(from)::ptx_type}),
         ...);
      };
      add(u8, s8, u16, s16, u32, s32, u64, s64);
      const auto flushing = [](double value) {
        return flushed(canonical(static_cast<float>(rounded<Single, r>(value))));
      };
      table.add({"cvt", direction, ".f32.f64"}, &compute<decltype(to_float), float, double>,
                {ptx::Type::f32, ptx::Type::f64});
      table.add({"cvt", direction, ".ftz.f32.f64"}, &compute<decltype(flushing), float, double>,
                {ptx::Type::f32, ptx::Type::f64});
    }
  });
}

}  // namespace

void add_half_conversion(Table& table) {
  add_narrowing<Half>(table, f16, f16x2);
  add_narrowing<Bfloat>(table, bf16, bf16x2);
  add_widening<Half>(table, f16, bf16, Bfloat{});
  add_widening<Bfloat>(table, bf16, f16, Half{});
  add_tensor32<Rounding::rna>(table, ".rna");
  add_tensor32<Rounding::rn>(table, ".rn");
  add_tensor32<Rounding::rz>(table, ".rz");
  add_quarter<E4m3>(table, ".e4m3x2", ptx::Type::e4m3x2);
  add_quarter<E5m2>(table, ".e5m2x2", ptx::Type::e5m2x2);
  add_directed(table);
}

}  // namespace weft::emulator::WEFT_ISA
