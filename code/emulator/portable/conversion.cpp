/// @file
/// Conversions between integers, floats and doubles; half_conversion.cpp has those of 16-bit floats.

#include "emulator/portable/all.hpp"
#include "emulator/vector/families.hpp"
#include "emulator/vector/float_rules.hpp"
#include "emulator/vector/whole_conversion.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// Calls `add` with each name and function of a rounding to whole numbers.
void each_whole_rounding(auto add) {
  add("cvt.rni", nearest);
  add("cvt.rzi", towards_zero);
  add("cvt.rmi", down);
  add("cvt.rpi", up);
}

template <class To, class From>
void integer_to_integer(Table& table, To to, From from) {
  using T = To::Value;
  using F = From::Value;
  table.add({"cvt", to.name, from.name}, &compute<Integer<T, F, false>, T, F>,
            {To::ptx_type, From::ptx_type});
  table.add({"cvt.sat", to.name, from.name}, &compute<Integer<T, F, true>, T, F>,
            {To::ptx_type, From::ptx_type});
}

template <class Function>
struct Flushing {
  constexpr auto operator()(float value) const { return Function{}(flushed(value)); }
};

template <class To, class From>
void float_to_integer(Table& table, To to, From from) {
  using T = To::Value;
  using F = From::Value;
  each_whole_rounding([&](const char* name, auto round) {
    using Convert = Whole<T, F, decltype(round)>;
    for (const char* const modifier : {"", ".sat"}) {  // it clamps anyway
      table.add({name, modifier, to.name, from.name}, &compute<Convert, T, F>,
                {To::ptx_type, From::ptx_type});
    }
    if constexpr (sizeof(F) == 4) {
      for (const char* const modifier : {".ftz", ".ftz.sat"}) {
        table.add({name, modifier, to.name, from.name}, &compute<Flushing<Convert>, T, F>,
                  {To::ptx_type, From::ptx_type});
      }
    }
  });
}

template <class To, class From>
void integer_to_float(Table& table, To to, From from) {
  using T = To::Value;
  using F = From::Value;
  const auto convert = [](F value) { return static_cast<T>(value); };
  table.add({"cvt.rn", to.name, from.name}, &compute<decltype(convert), T, F>,
            {To::ptx_type, From::ptx_type});
}

void each_integer(auto visit) {
  visit(u8);
  visit(s8);
  visit(u16);
  visit(s16);
  visit(u32);
  visit(s32);
  visit(u64);
  visit(s64);
}

template <class From>
void from_integer(Table& table, From from) {
  each_integer([&](auto to) { integer_to_integer(table, to, from); });
  integer_to_float(table, f32, from);
  integer_to_float(table, f64, from);
}

template <class From>
void from_float(Table& table, From from) {
  each_integer([&](auto to) { float_to_integer(table, to, from); });
  each_whole_rounding([&](const char* name, auto round) {
    using T = From::Value;
    const auto clamped = [](T value) { return saturated(decltype(round){}(value)); };
    const auto rounded = [](T value) { return canonical(decltype(round){}(value), value); };
    table.add({name, from.name, from.name}, &compute<decltype(rounded), T, T>,
              {From::ptx_type, From::ptx_type});
    table.add({name, ".sat", from.name, from.name}, &compute<decltype(clamped), T, T>,
              {From::ptx_type, From::ptx_type});
    if constexpr (sizeof(T) == 4) {
      table.add({name, ".ftz", from.name, from.name}, &compute<Flushing<decltype(rounded)>, T, T>,
                {From::ptx_type, From::ptx_type});
      table.add({name, ".ftz.sat", from.name, from.name}, &compute<Flushing<decltype(clamped)>, T, T>,
                {From::ptx_type, From::ptx_type});
    }
  });
}

constexpr auto flush = [](float value) { return flushed(value); };
constexpr auto clamp = [](auto value) { return saturated(value); };

}  // namespace

void add_conversion(Table& table) {
  from_integer(table, u8);
  from_integer(table, s8);
  from_integer(table, u16);
  from_integer(table, s16);
  from_integer(table, u32);
  from_integer(table, s32);
  from_integer(table, u64);
  from_integer(table, s64);
  from_float(table, f32);
  from_float(table, f64);
  single(table, "cvt.f64.f32", [](float a) { return static_cast<double>(a); }, f64, f32);
  single(
      table, "cvt.ftz.f64.f32", [](float a) { return static_cast<double>(decltype(flush){}(a)); }, f64, f32);
  single(table, "cvt.rn.f32.f64", [](double a) { return static_cast<float>(a); }, f32, f64);
  single(
      table, "cvt.rn.ftz.f32.f64", [](double a) { return decltype(flush){}(static_cast<float>(a)); }, f32,
      f64);
  single(table, "cvt.rn.sat.f32.f64", [](double a) { return saturated(static_cast<float>(a)); }, f32, f64);
  single(table, "cvt.sat.f64.f64", clamp, f64, f64);
  single(table, "cvt.f32.f32", [](float a) { return a; }, f32, f32);
  single(table, "cvt.f64.f64", [](double a) { return a; }, f64, f64);
  single(table, "cvt.ftz.f32.f32", flush, f32, f32);
  single(table, "cvt.sat.f32.f32", clamp, f32, f32);
  single(
      table, "cvt.ftz.sat.f32.f32", [](float a) { return decltype(clamp){}(decltype(flush){}(a)); }, f32,
      f32);
}

}  // namespace weft::emulator::WEFT_ISA
