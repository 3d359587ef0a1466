/// @file
/// Comparisons, which give one bit per lane, and choices by such bits.

#include "emulator/vector/all.hpp"
#include "emulator/vector/families.hpp"
#include "emulator/vector/float_rules.hpp"
#include "emulator/vector/small_float.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// `setp`: slot 0 is a predicate.
template <class Function, class T>
const Operation* compare(Warp& warp, const Operation& operation) {
  const auto* const a = warp.values<Kept<T>>(operation.slots[1]);
  const auto* const b = warp.values<Kept<T>>(operation.slots[2]);
  SlotBits<T> bits = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    bits |=
        Function{}(static_cast<T>(a[lane]), static_cast<T>(b[lane])) ? lane_bits<SlotBits<T>>.of[lane] : 0;
  }
  warp.set_predicate(operation.slots[0], static_cast<std::uint32_t>(bits));
  return &operation + 1;
}

template <class Function, class... T>
void comparison(Table& table, const char* name, Function, T... types) {
  (table.add(name, types.name, &compare<Function, typename T::Value>,
             {ptx::Type::pred, T::ptx_type, T::ptx_type}),
   ...);
}

template <class Function, class... T>
void compare_integers(Table& table, const char* name, Function function, T... bits) {
  comparison(table, name, function, u16, s16, u32, s32, u64, s64, bits...);
}

/// Compares what 16-bit floats stand for; `.ftz` makes zeros of subnormals first.
template <class Format, class Function, bool flush>
struct CompareSmall {
  constexpr bool operator()(std::uint16_t a, std::uint16_t b) const {
    return Function{}(Format::template value<flush>(a), Format::template value<flush>(b));
  }
};

template <class Function>
struct CompareFlushed {
  constexpr bool operator()(float a, float b) const { return Function{}(flushed(a), flushed(b)); }
};

template <class Function>
void compare_floats(Table& table, const char* name, Function function) {
  comparison(table, name, function, f32, f64);
  comparison(table, name, CompareSmall<Half, Function, false>{}, f16);
  comparison(table, name, CompareSmall<Bfloat, Function, false>{}, bf16);
  const auto flushing = [&](const char* suffix, Handler run, ptx::Type type) {
    table.add({name, ".ftz", suffix}, run, {ptx::Type::pred, type, type});
  };
  flushing(".f32", &compare<CompareFlushed<Function>, float>, ptx::Type::f32);
  flushing(".f16", &compare<CompareSmall<Half, Function, true>, std::uint16_t>, ptx::Type::f16);
}

/// `selp`: slot 3 is a predicate.
template <class T>
const Operation* select(Warp& warp, const Operation& operation) {
  const std::uint32_t chosen = warp.predicate(operation.slots[3]);
  for_lanes(
      warp, [chosen](SlotBits<T> bit, T a, T b) { return (chosen & bit) != 0 ? a : b; },
      warp.values<T>(operation.slots[0]), &lane_bits<SlotBits<T>>.of[0],
      static_cast<const T*>(warp.values<T>(operation.slots[1])),
      static_cast<const T*>(warp.values<T>(operation.slots[2])));
  return &operation + 1;
}

template <class... T>
void add_select(Table& table, T... types) {
  (table.add("selp", types.name, &select<Kept<typename T::Value>>,
             {T::ptx_type, T::ptx_type, T::ptx_type, ptx::Type::pred}),
   ...);
}

/// `slct`: by the sign of c; -0 is none, and a NaN is below zero.
template <class T, class Decider>
struct BySign {
  constexpr T operator()(T a, T b, Decider c) const { return c >= 0 ? a : b; }
};

template <class... T>
void add_choice(Table& table, T... types) {
  const auto add = [&](const char* name, auto decider) {
    using Decider = decltype(decider)::Value;
    (table.add({name, types.name, decider.name},
               &compute<BySign<typename T::Value, Decider>, typename T::Value, typename T::Value,
                        typename T::Value, Decider>,
               {T::ptx_type, T::ptx_type, T::ptx_type, decltype(decider)::ptx_type}),
     ...);
  };
  add("slct", s32);
  add("slct", f32);
}

}  // namespace

void add_comparison(Table& table) {
  compare_integers(table, "setp.eq", [](auto a, auto b) { return a == b; }, b16, b32, b64);
  compare_integers(table, "setp.ne", [](auto a, auto b) { return a != b; }, b16, b32, b64);
  compare_integers(table, "setp.lt", [](auto a, auto b) { return a < b; });
  compare_integers(table, "setp.le", [](auto a, auto b) { return a <= b; });
  compare_integers(table, "setp.gt", [](auto a, auto b) { return a > b; });
  compare_integers(table, "setp.ge", [](auto a, auto b) { return a >= b; });
  comparison(table, "setp.lo", [](auto a, auto b) { return a < b; }, u16, u32, u64);
  comparison(table, "setp.ls", [](auto a, auto b) { return a <= b; }, u16, u32, u64);
  comparison(table, "setp.hi", [](auto a, auto b) { return a > b; }, u16, u32, u64);
  comparison(table, "setp.hs", [](auto a, auto b) { return a >= b; }, u16, u32, u64);
  compare_floats(table, "setp.eq", [](auto a, auto b) { return a == b; });
  compare_floats(table, "setp.ne", [](auto a, auto b) { return a < b || a > b; });
  compare_floats(table, "setp.lt", [](auto a, auto b) { return a < b; });
  compare_floats(table, "setp.le", [](auto a, auto b) { return a <= b; });
  compare_floats(table, "setp.gt", [](auto a, auto b) { return a > b; });
  compare_floats(table, "setp.ge", [](auto a, auto b) { return a >= b; });
  compare_floats(table, "setp.equ", [](auto a, auto b) { return !(a < b || a > b); });
  compare_floats(table, "setp.neu", [](auto a, auto b) { return a != b; });
  compare_floats(table, "setp.ltu", [](auto a, auto b) { return !(a >= b); });
  compare_floats(table, "setp.leu", [](auto a, auto b) { return !(a > b); });
  compare_floats(table, "setp.gtu", [](auto a, auto b) { return !(a <= b); });
  compare_floats(table, "setp.geu", [](auto a, auto b) { return !(a < b); });
  compare_floats(table, "setp.num", [](auto a, auto b) { return a == a && b == b; });
  compare_floats(table, "setp.nan", [](auto a, auto b) { return a != a || b != b; });
  add_select(table, b16, u16, s16, b32, u32, s32, b64, u64, s64, f16, bf16, f32, f64);
  add_choice(table, b16, u16, s16, b32, u32, s32, b64, u64, s64, f32, f64);
}

}  // namespace weft::emulator::WEFT_ISA
