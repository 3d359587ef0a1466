/// @file
/// Comparisons, which give one bit per lane, and choices by such bits.

#include "emulator/execute/isa/families.hpp"
#include "emulator/execute/isa/tables.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// `setp`: slot 0 is a predicate.
template <class Function, class T>
const Operation* compare(Warp& warp, const Operation& operation) {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const auto* const a = warp.values<Kept<T>>(operation.slots[1]);
  const auto* const b = warp.values<Kept<T>>(operation.slots[2]);
  Word bits = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    bits |= Function{}(static_cast<T>(a[lane]), static_cast<T>(b[lane])) ? lane_bits<Word>.of[lane] : 0;
  }
  std::uint32_t& result = warp.predicate(operation.slots[0]);
  result = (static_cast<std::uint32_t>(bits) & warp.active) | (result & ~warp.active);
  return &operation + 1;
}

/// `set`: all ones, or 1.0, where it is true.
template <class Function, class Result, class T>
struct Set {
  constexpr Result operator()(T a, T b) const {
    constexpr Result truth = std::is_floating_point_v<Result> ? Result{1} : static_cast<Result>(~0U);
    return Function{}(a, b) ? truth : Result{0};
  }
};

template <class Function, class... T>
void comparison(Table& table, const char* setp, const char* set, Function, T... types) {
  (table.add(setp, types.name, &compare<Function, typename T::Value>,
             {ptx::Type::pred, T::ptx_type, T::ptx_type}),
   ...);
  (table.add(set, types.name,
             &compute<Set<Function, std::uint32_t, typename T::Value>, std::uint32_t, typename T::Value,
                      typename T::Value>,
             {ptx::Type::u32, T::ptx_type, T::ptx_type}),
   ...);
}

/// `selp`: slot 3 is a predicate.
template <class T>
const Operation* select(Warp& warp, const Operation& operation) {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const std::uint32_t chosen = warp.predicate(operation.slots[3]);
  for_lanes(
      warp, [chosen](Word bit, T a, T b) { return (chosen & bit) != 0 ? a : b; },
      warp.values<T>(operation.slots[0]), &lane_bits<Word>.of[0],
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

/// `slct`: by the sign of c.
template <class T, class Decider>
struct BySign {
  constexpr T operator()(T a, T b, Decider c) const { return c >= 0 ? a : b; }
};

template <class... T>
void add_choice(Table& table, T... types) {
  const auto add = [&](const char* name, auto decider) {
    using Decider = decltype(decider)::Value;
    (table.add(name, types.name,
               &compute<BySign<typename T::Value, Decider>, typename T::Value, typename T::Value,
                        typename T::Value, Decider>,
               {T::ptx_type, T::ptx_type, T::ptx_type, decltype(decider)::ptx_type}),
     ...);
  };
  add("slct.s32", s32);
  add("slct.f32", f32);
}

}  // namespace

void add_comparison(Table& table) {
  comparison(
      table, "setp.eq", "set.eq", [](auto a, auto b) { return a == b; }, b16, u16, s16, b32, u32, s32, b64,
      u64, s64, f32, f64);
  comparison(table, "setp.ne", "set.ne", [](auto a, auto b) { return a < b || a > b; }, f32, f64);
  comparison(
      table, "setp.ne", "set.ne", [](auto a, auto b) { return a != b; }, b16, u16, s16, b32, u32, s32, b64,
      u64, s64);
  comparison(
      table, "setp.lt", "set.lt", [](auto a, auto b) { return a < b; }, u16, s16, u32, s32, u64, s64, f32,
      f64);
  comparison(
      table, "setp.le", "set.le", [](auto a, auto b) { return a <= b; }, u16, s16, u32, s32, u64, s64, f32,
      f64);
  comparison(
      table, "setp.gt", "set.gt", [](auto a, auto b) { return a > b; }, u16, s16, u32, s32, u64, s64, f32,
      f64);
  comparison(
      table, "setp.ge", "set.ge", [](auto a, auto b) { return a >= b; }, u16, s16, u32, s32, u64, s64, f32,
      f64);
  comparison(table, "setp.lo", "set.lo", [](auto a, auto b) { return a < b; }, u16, u32, u64);
  comparison(table, "setp.ls", "set.ls", [](auto a, auto b) { return a <= b; }, u16, u32, u64);
  comparison(table, "setp.hi", "set.hi", [](auto a, auto b) { return a > b; }, u16, u32, u64);
  comparison(table, "setp.hs", "set.hs", [](auto a, auto b) { return a >= b; }, u16, u32, u64);
  comparison(table, "setp.equ", "set.equ", [](auto a, auto b) { return !(a < b || a > b); }, f32, f64);
  comparison(table, "setp.neu", "set.neu", [](auto a, auto b) { return a != b; }, f32, f64);
  comparison(table, "setp.ltu", "set.ltu", [](auto a, auto b) { return !(a >= b); }, f32, f64);
  comparison(table, "setp.leu", "set.leu", [](auto a, auto b) { return !(a > b); }, f32, f64);
  comparison(table, "setp.gtu", "set.gtu", [](auto a, auto b) { return !(a <= b); }, f32, f64);
  comparison(table, "setp.geu", "set.geu", [](auto a, auto b) { return !(a < b); }, f32, f64);
  comparison(table, "setp.num", "set.num", [](auto a, auto b) { return a == a && b == b; }, f32, f64);
  comparison(table, "setp.nan", "set.nan", [](auto a, auto b) { return a != a || b != b; }, f32, f64);
  add_select(table, b16, u16, s16, b32, u32, s32, b64, u64, s64, f32, f64);
  add_choice(table, b16, u16, s16, b32, u32, s32, b64, u64, s64, f32, f64);
}

}  // namespace weft::emulator::WEFT_ISA
