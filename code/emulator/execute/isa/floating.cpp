/// @file
/// Arithmetic of float and double, rounded to nearest even. IEEE 754 to the bit, but for the approximate
/// functions.

#include <bit>
#include <cmath>

#include "emulator/execute/isa/families.hpp"
#include "emulator/execute/isa/tables.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// Where the GPU makes a NaN of floats, it makes this one, whatever came in.
constexpr float canonical(float value) { return value == value ? value : std::bit_cast<float>(0x7fffffffU); }
constexpr double canonical(double value) { return value; }

/// `.ftz`: a subnormal becomes a zero of its sign.
constexpr float flushed(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7f800000U) != 0 ? bits : bits & 0x80000000U);
}

/// `.sat`: clamped to [0, 1]; a NaN becomes 0.
constexpr float saturated(float value) { return value > 0 ? (value < 1 ? value : 1.0F) : 0.0F; }
constexpr double saturated(double value) { return value > 0 ? (value < 1 ? value : 1.0) : 0.0; }

/// A function of floats with a modifier's treatment of operands and result.
template <class Function, bool flush, bool saturate>
struct Modified {
  template <class... T>
  constexpr auto operator()(T... values) const {
    if constexpr (flush) {
      const auto result = canonical(flushed(Function{}(flushed(values)...)));
      return saturate ? saturated(result) : result;
    } else {
      const auto result = canonical(Function{}(values...));
      return saturate ? saturated(result) : result;
    }
  }
};

template <class Function, class... Operand>
void add_modified(Table& table, const char* name, Function, Operand...) {
  const auto add = [&](const char* suffix, auto modified) {
    table.add(name, suffix, &compute<decltype(modified), float, typename Operand::Value...>,
              {ptx::Type::f32, Operand::ptx_type...});
  };
  add(".f32", Modified<Function, false, false>{});
  add(".ftz.f32", Modified<Function, true, false>{});
  add(".sat.f32", Modified<Function, false, true>{});
  add(".ftz.sat.f32", Modified<Function, true, true>{});
}

template <class Function, class... Operand>
void add_double(Table& table, const char* name, Function, Operand...) {
  table.add(name, ".f64", &compute<Modified<Function, false, false>, double, typename Operand::Value...>,
            {ptx::Type::f64, Operand::ptx_type...});
}

/// The smaller; a NaN only if both are, and -0 is smaller than 0.
constexpr auto smaller = [](auto a, auto b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
};
constexpr auto larger = [](auto a, auto b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
};

void add_float(Table& table) {
  add_modified(table, "add", [](float a, float b) { return a + b; }, f32, f32);
  add_modified(table, "sub", [](float a, float b) { return a - b; }, f32, f32);
  add_modified(table, "mul", [](float a, float b) { return a * b; }, f32, f32);
  add_modified(
      table, "fma.rn", [](float a, float b, float c) { return __builtin_fmaf(a, b, c); }, f32, f32, f32);
  add_modified(
      table, "mad.rn", [](float a, float b, float c) { return __builtin_fmaf(a, b, c); }, f32, f32, f32);
  add_modified(table, "div.rn", [](float a, float b) { return a / b; }, f32, f32);
  add_modified(table, "div.full", [](float a, float b) { return a / b; }, f32, f32);
  add_modified(table, "div.approx", [](float a, float b) { return a / b; }, f32, f32);
  add_modified(table, "rcp.rn", [](float a) { return 1.0F / a; }, f32);
  add_modified(table, "rcp.approx", [](float a) { return 1.0F / a; }, f32);
  add_modified(table, "sqrt.rn", [](float a) { return __builtin_sqrtf(a); }, f32);
  add_modified(table, "sqrt.approx", [](float a) { return __builtin_sqrtf(a); }, f32);
  add_modified(table, "min", smaller, f32, f32);
  add_modified(table, "max", larger, f32, f32);
  add_modified(
      table, "min.NaN",
      [](float a, float b) { return a != a ? a : (b != b ? b : decltype(smaller){}(a, b)); }, f32, f32);
  add_modified(
      table, "max.NaN", [](float a, float b) { return a != a ? a : (b != b ? b : decltype(larger){}(a, b)); },
      f32, f32);
  add_modified(
      table, "rsqrt.approx",
      [](float a) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); }, f32);
  add_modified(
      table, "sin.approx", [](float a) { return static_cast<float>(std::sin(static_cast<double>(a))); }, f32);
  add_modified(
      table, "cos.approx", [](float a) { return static_cast<float>(std::cos(static_cast<double>(a))); }, f32);
  add_modified(
      table, "ex2.approx", [](float a) { return static_cast<float>(std::exp2(static_cast<double>(a))); },
      f32);
  add_modified(
      table, "lg2.approx", [](float a) { return static_cast<float>(std::log2(static_cast<double>(a))); },
      f32);
  add_modified(
      table, "tanh.approx", [](float a) { return static_cast<float>(std::tanh(static_cast<double>(a))); },
      f32);
  unary(table, "neg", [](auto a) { return -a; }, f32, f64);
  unary(table, "abs", [](auto a) { return std::abs(a); }, f32, f64);
  single(table, "neg.ftz.f32", [](float a) { return -flushed(a); }, f32, f32);
  single(table, "abs.ftz.f32", [](float a) { return std::abs(flushed(a)); }, f32, f32);
  binary(table, "copysign", [](auto a, auto b) { return std::copysign(b, a); }, f32, f64);
}

void add_doubles(Table& table) {
  add_double(table, "add", [](double a, double b) { return a + b; }, f64, f64);
  add_double(table, "sub", [](double a, double b) { return a - b; }, f64, f64);
  add_double(table, "mul", [](double a, double b) { return a * b; }, f64, f64);
  add_double(
      table, "fma.rn", [](double a, double b, double c) { return __builtin_fma(a, b, c); }, f64, f64, f64);
  add_double(
      table, "mad.rn", [](double a, double b, double c) { return __builtin_fma(a, b, c); }, f64, f64, f64);
  add_double(table, "div.rn", [](double a, double b) { return a / b; }, f64, f64);
  add_double(table, "rcp.rn", [](double a) { return 1.0 / a; }, f64);
  add_double(table, "rcp.approx.ftz", [](double a) { return 1.0 / a; }, f64);
  add_double(table, "rsqrt.approx.ftz", [](double a) { return 1.0 / std::sqrt(a); }, f64);
  add_double(table, "rsqrt.approx", [](double a) { return 1.0 / std::sqrt(a); }, f64);
  add_double(table, "sqrt.rn", [](double a) { return __builtin_sqrt(a); }, f64);
  add_double(table, "min", smaller, f64, f64);
  add_double(table, "max", larger, f64, f64);
}

}  // namespace

void add_floating(Table& table) {
  add_float(table);
  add_doubles(table);
}

}  // namespace weft::emulator::WEFT_ISA
