/// @file
/// The conversions that many programs need, as vector code; portable/ has all of them.

#include "emulator/vector/all.hpp"
#include "emulator/vector/families.hpp"
#include "emulator/vector/float_rules.hpp"
#include "emulator/vector/small_conversion.hpp"
#include "emulator/vector/whole_conversion.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// `name.To.From d, a;` for each type to convert to
template <class From, class... To>
void add_cuts(Table& table, From from, To... to) {
  using F = From::Value;
  (table.add({"cvt", to.name, from.name},
             &compute<Integer<typename To::Value, F, false>, typename To::Value, F>,
             {To::ptx_type, From::ptx_type}),
   ...);
}

/// To float and double.
template <class... From>
void add_to_floats(Table& table, From... from) {
  const auto to_float = [](auto value) { return static_cast<float>(value); };
  const auto to_double = [](auto value) { return static_cast<double>(value); };
  (table.add({"cvt.rn", f32.name, from.name}, &compute<decltype(to_float), float, typename From::Value>,
             {ptx::Type::f32, From::ptx_type}),
   ...);
  (table.add({"cvt.rn", f64.name, from.name}, &compute<decltype(to_double), double, typename From::Value>,
             {ptx::Type::f64, From::ptx_type}),
   ...);
}

/// Towards zero, as C++ converts.
template <class From, class... To>
void add_to_integers(Table& table, From from, To... to) {
  using F = From::Value;
  using Round = decltype(towards_zero);
  (table.add({"cvt.rzi", to.name, from.name},
             &compute<Whole<typename To::Value, F, Round>, typename To::Value, F>,
             {To::ptx_type, From::ptx_type}),
   ...);
}

/// Between float and a format of 16 bits, one at a time and in pairs.
template <class Format, class To, class Pair>
void add_small(Table& table, To to, Pair pair) {
  using ptx::Type;
  using Convert = ToBits<Format, Rounding::rn>;
  table.add({"cvt.rn", to.name, ".f32"}, &compute<Convert, std::uint16_t, float>, {To::ptx_type, Type::f32});
  table.add({"cvt.rn", pair.name, ".f32"}, &compute<ToPair<Convert, 16>, std::uint32_t, float, float>,
            {Pair::ptx_type, Type::f32, Type::f32});
  table.add({"cvt", ".f32", to.name}, &compute<FromBits<Format, Exactly<Format>>, float, std::uint16_t>,
            {Type::f32, To::ptx_type});
}

}  // namespace

void add_usual_conversion(Table& table) {
  add_cuts(table, u8, u16, s16, u32, s32, u64, s64);
  add_cuts(table, s8, u16, s16, u32, s32, u64, s64);
  add_cuts(table, u16, u8, s8, u32, s32, u64, s64);
  add_cuts(table, s16, u8, s8, u32, s32, u64, s64);
  add_cuts(table, u32, u8, s8, u16, s16, u64, s64);
  add_cuts(table, s32, u8, s8, u16, s16, u64, s64);
  add_cuts(table, u64, u8, s8, u16, s16, u32, s32);
  add_cuts(table, s64, u8, s8, u16, s16, u32, s32);
  add_to_floats(table, u8, s8, u16, s16, u32, s32, u64, s64);
  add_to_integers(table, f32, u32, s32, u64, s64);
  add_to_integers(table, f64, u32, s32, u64, s64);
  single(table, "cvt.f64.f32", [](float a) { return static_cast<double>(a); }, f64, f32);
  single(table, "cvt.rn.f32.f64", [](double a) { return static_cast<float>(a); }, f32, f64);
  add_small<Half>(table, f16, f16x2);
  add_small<Bfloat>(table, bf16, bf16x2);
  table.add("cvt.rna.tf32.f32", "", &compute<ToTensor32<Rounding::rna, Bound::none>, float, float>,
            {ptx::Type::b32, ptx::Type::f32});
}

}  // namespace weft::emulator::WEFT_ISA
