/// @file
/// Arithmetic of float and double, rounded to nearest even. IEEE 754 to the bit, but for the approximate
/// functions.

#include <bit>
#include <cmath>

#include "emulator/vector/all.hpp"
#include "emulator/vector/families.hpp"
#include "emulator/vector/float_rules.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

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

/// An approximation, computed in double: what PTX grants as error is far more than what this has.
template <class Function>
void add_approximation(Table& table, const char* name, Function) {
  const auto add = [&](const char* suffix, auto modified) {
    table.add(name, suffix, &compute<decltype(modified), float, float>, {ptx::Type::f32, ptx::Type::f32});
  };
  const auto rounded = [](float a) { return static_cast<float>(Function{}(static_cast<double>(a))); };
  add(".f32", Modified<decltype(rounded), false, false>{});
  add(".ftz.f32", Modified<decltype(rounded), true, false>{});
}

template <class Function, class... Operand>
void add_double(Table& table, const char* name, Function, Operand...) {
  table.add(name, ".f64", &compute<Modified<Function, false, false>, double, typename Operand::Value...>,
            {ptx::Type::f64, Operand::ptx_type...});
}

/// `div.approx` multiplies by the reciprocal, which is flushed to zero for the largest divisors.
constexpr auto approximate_quotient = [](float a, float b) {
  return std::abs(b) > 0x1p126F ? a * std::copysign(0.0F, b) : a / b;
};

/// `min` or `max`, with all of their modifiers.
template <class Function>
void add_choice_of_floats(Table& table, const char* name, Function) {
  const auto add = [&](const char* suffix, auto choice) {
    table.add({name, suffix, ".f32"}, &compute<decltype(choice), float, float, float>,
              {ptx::Type::f32, ptx::Type::f32, ptx::Type::f32});
  };
  using Nan = PassingNan<Function>;
  add("", Modified<Function, false, false>{});
  add(".ftz", Modified<Function, true, false>{});
  add(".NaN", Modified<Nan, false, false>{});
  add(".ftz.NaN", Modified<Nan, true, false>{});
  add(".xorsign.abs", Modified<OfMagnitudes<Function>, false, false>{});
  add(".ftz.xorsign.abs", Modified<OfMagnitudes<Function>, true, false>{});
  add(".NaN.xorsign.abs", Modified<OfMagnitudes<Nan>, false, false>{});
  add(".ftz.NaN.xorsign.abs", Modified<OfMagnitudes<Nan>, true, false>{});
  add_double(table, name, Function{}, f64, f64);
}

void add_float(Table& table) {
  add_modified(table, "add", sum, f32, f32);
  add_modified(table, "sub", difference, f32, f32);
  add_modified(table, "mul", product, f32, f32);
  add_modified(table, "fma.rn", multiply_add, f32, f32, f32);
  add_modified(table, "mad.rn", multiply_add, f32, f32, f32);
  add_modified(table, "div.rn", [](float a, float b) { return a / b; }, f32, f32);
  add_modified(table, "div.full", [](float a, float b) { return a / b; }, f32, f32);
  add_modified(table, "div.approx", approximate_quotient, f32, f32);
  add_modified(table, "rcp.rn", [](float a) { return 1.0F / a; }, f32);
  add_modified(table, "rcp.approx", [](float a) { return 1.0F / a; }, f32);
  add_modified(table, "sqrt.rn", root, f32);
  add_modified(table, "sqrt.approx", root, f32);
  add_approximation(table, "rsqrt.approx", [](double a) { return 1.0 / std::sqrt(a); });
  add_approximation(table, "sin.approx", [](double a) { return std::sin(a); });
  add_approximation(table, "cos.approx", [](double a) { return std::cos(a); });
  add_approximation(table, "ex2.approx", [](double a) { return std::exp2(a); });
  add_approximation(table, "lg2.approx", [](double a) { return std::log2(a); });
  add_approximation(table, "tanh.approx", [](double a) { return std::tanh(a); });
  unary(table, "neg", [](float a) { return canonical(-a); }, f32);
  unary(table, "abs", [](float a) { return canonical(std::abs(a)); }, f32);
  unary(table, "neg", opposite, f64);
  unary(table, "abs", magnitude, f64);
  single(table, "neg.ftz.f32", [](float a) { return canonical(-flushed(a)); }, f32, f32);
  single(table, "abs.ftz.f32", [](float a) { return canonical(std::abs(flushed(a))); }, f32, f32);
  binary(table, "copysign", [](auto a, auto b) { return std::copysign(b, a); }, f32, f64);
  add_choice_of_floats(table, "min", smaller);
  add_choice_of_floats(table, "max", larger);
}

/// `rcp.approx.ftz.f64` and its like look at the upper half of the bits alone, and give no other.
template <class Function>
struct Gross {
  static constexpr double upper(double value) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0xffffffff00000000U);
  }
  /// Without a subnormal.
  static constexpr double flushed_double(double value) {
    return std::abs(value) < 0x1p-1022 ? std::copysign(0.0, value) : value;
  }
  constexpr double operator()(double a) const {
    const double result = Function{}(flushed_double(upper(a)));
    return result == result ? upper(flushed_double(result)) : std::bit_cast<double>(0x7fffffff00000000U);
  }
};

void add_doubles(Table& table) {
  add_double(table, "add", sum, f64, f64);
  add_double(table, "sub", difference, f64, f64);
  add_double(table, "mul", product, f64, f64);
  add_double(table, "fma.rn", multiply_add, f64, f64, f64);
  add_double(table, "mad.rn", multiply_add, f64, f64, f64);
  add_double(table, "div.rn", [](double a, double b) { return a / b; }, f64, f64);
  add_double(table, "sqrt.rn", root, f64);
  const auto reciprocal = [](double a) { return 1.0 / a; };
  add_double(table, "rcp.rn", reciprocal, f64);
  const auto reciprocal_root = [](double a) { return 1.0 / std::sqrt(a); };
  add_double(table, "rcp.approx.ftz", Gross<decltype(reciprocal)>{}, f64);
  add_double(table, "rsqrt.approx.ftz", Gross<decltype(reciprocal_root)>{}, f64);
  add_double(table, "rsqrt.approx", reciprocal_root, f64);
}

/// `testp`: slot 0 is a predicate.
template <class Function, class T>
const Operation* test_property(Warp& warp, const Operation& operation) {
  const auto* const a = warp.values<T>(operation.slots[1]);
  std::uint32_t bits = 0;
  for (int lane = 0; lane < lanes; ++lane)
    bits |= Function{}(a[lane]) ? lane_bits<std::uint32_t>.of[lane] : 0;
  warp.set_predicate(operation.slots[0], bits);
  return &operation + 1;
}

template <class Function>
void add_property(Table& table, const char* name, Function) {
  table.add(name, ".f32", &test_property<Function, float>, {ptx::Type::pred, ptx::Type::f32});
  table.add(name, ".f64", &test_property<Function, double>, {ptx::Type::pred, ptx::Type::f64});
}

void add_properties(Table& table) {
  add_property(table, "testp.finite", [](auto a) { return a - a == 0; });
  add_property(table, "testp.infinite", [](auto a) { return a == a && a - a != 0; });
  add_property(table, "testp.number", [](auto a) { return a == a; });
  add_property(table, "testp.notanumber", [](auto a) { return a != a; });
  constexpr auto smallest = [](auto a) { return sizeof a == 4 ? 0x1p-126 : 0x1p-1022; };
  add_property(table, "testp.normal",
               [](auto a) { return a - a == 0 && std::abs(a) >= decltype(smallest){}(a); });
  add_property(table, "testp.subnormal",
               [](auto a) { return a != 0 && std::abs(a) < decltype(smallest){}(a); });
}

}  // namespace

void add_floating(Table& table) {
  add_float(table);
  add_doubles(table);
  add_properties(table);
}

}  // namespace weft::emulator::WEFT_ISA
