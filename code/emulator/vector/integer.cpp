/// @file
/// Arithmetic of integers, and on bits. Signed overflow wraps (compiled with -fwrapv).

#include <bit>

#include "emulator/vector/all.hpp"
#include "emulator/vector/families.hpp"
#include "emulator/vector/integer_rules.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// Division by zero gives what the GPU gives: all ones.
template <class T>
constexpr T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(-a);
  }
  return static_cast<T>(a / b);
}

template <class T>
constexpr T remainder_of(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

/// The number of the highest bit that differs from the sign; all ones if there is none.
template <class T>
constexpr std::uint32_t highest_bit(T a) {
  auto bits = static_cast<std::make_unsigned_t<T>>(a);
  if (std::is_signed_v<T> && a < 0) bits = ~bits;
  return bits == 0 ? ~0U : static_cast<std::uint32_t>(width_of<T> - 1 - std::countl_zero(bits));
}

template <class T>
constexpr T reversed(T a) {
  T result = 0;
  for (int bit = 0; bit < width_of<T>; ++bit) result |= (a >> bit & T{1}) << (width_of<T> - 1 - bit);
  return result;
}

/// `bfe`: `length` bits from `start` on; signed ones repeat the topmost.
template <class T>
constexpr T extracted(T a, std::uint32_t start, std::uint32_t length) {
  using Bits = std::make_unsigned_t<T>;
  constexpr std::uint32_t width = width_of<T>;
  start &= 0xff;
  length &= 0xff;
  const auto bits = static_cast<Bits>(a);
  if (length == 0) return 0;
  const bool negative =
      std::is_signed_v<T> && (bits >> (start + length - 1 < width ? start + length - 1 : width - 1) & 1) != 0;
  const Bits shifted = start < width ? bits >> start : 0;
  const Bits mask = length < width ? (Bits{1} << length) - 1 : ~Bits{0};
  const Bits kept = start < width && length < width - start ? mask : (start < width ? ~Bits{0} >> start : 0);
  return static_cast<T>((shifted & mask) | (negative ? ~(mask & kept) : 0));
}

/// `bfi`: the lowest `length` bits of `a` put into `b` from `start` on.
template <class T>
constexpr T inserted(T a, T b, std::uint32_t start, std::uint32_t length) {
  constexpr std::uint32_t width = width_of<T>;
  start &= 0xff;
  length &= 0xff;
  if (length == 0 || start >= width) return b;
  const T mask = (length < width ? (T{1} << length) - 1 : ~T{0}) << start;
  return (a << start & mask) | (b & ~mask);
}

/// `prmt` without a mode: each nibble of the selector names one of the eight bytes.
constexpr std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = a | std::uint64_t{b} << 32;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t nibble = selector >> (4 * i) & 0xf;
    std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * (nibble & 7))) & 0xff;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

constexpr std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t result = 0;
  for (std::uint32_t row = 0; row < 8; ++row) {
    const std::uint32_t chosen =
        ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
    result |= chosen & (0U - (table >> row & 1));
  }
  return result;
}

/// `shf`: 32 bits of the 64 that `a` (low) and `b` (high) make.
/// @param count 0 to 32
constexpr std::uint32_t funnel_left(std::uint32_t a, std::uint32_t b, std::uint32_t count) {
  return static_cast<std::uint32_t>((a | std::uint64_t{b} << 32) << count >> 32);
}

constexpr std::uint32_t funnel_right(std::uint32_t a, std::uint32_t b, std::uint32_t count) {
  return static_cast<std::uint32_t>((a | std::uint64_t{b} << 32) >> count);
}

/// `dp4a`: the products of four bytes each, added up.
template <class A, class B>
constexpr std::int32_t dot4(std::uint32_t a, std::uint32_t b, std::int32_t c) {
  for (int i = 0; i < 4; ++i) c += static_cast<A>(a >> (8 * i)) * static_cast<B>(b >> (8 * i));
  return c;
}

template <class... T>
void add_wide(Table& table, T... types) {
  const auto multiply = [](auto a, auto b) {
    using Wide = Double<decltype(a)>::Type;
    return static_cast<Wide>(a) * static_cast<Wide>(b);
  };
  const auto multiply_add = [](auto a, auto b, auto c) {
    return static_cast<decltype(c)>(a) * static_cast<decltype(c)>(b) + c;
  };
  const auto wide = [](ptx::Type type) {
    switch (type) {
      case ptx::Type::u16:
        return ptx::Type::u32;
      case ptx::Type::s16:
        return ptx::Type::s32;
      case ptx::Type::u32:
        return ptx::Type::u64;
      default:
        return ptx::Type::s64;
    }
  };
  (table.add("mul.wide", types.name,
             &compute<decltype(multiply), typename Double<typename T::Value>::Type, typename T::Value,
                      typename T::Value>,
             {wide(T::ptx_type), T::ptx_type, T::ptx_type}),
   ...);
  (table.add("mad.wide", types.name,
             &compute<decltype(multiply_add), typename Double<typename T::Value>::Type, typename T::Value,
                      typename T::Value, typename Double<typename T::Value>::Type>,
             {wide(T::ptx_type), T::ptx_type, T::ptx_type, wide(T::ptx_type)}),
   ...);
}

/// Shifts take 32-bit counts, and counts beyond the width shift everything out.
template <class... T>
void add_shift(Table& table, const char* name, auto function, T... types) {
  (table.add(name, types.name,
             &compute<decltype(function), typename T::Value, typename T::Value, std::uint32_t>,
             {T::ptx_type, T::ptx_type, ptx::Type::u32}),
   ...);
}

/// Instructions whose result is a 32-bit number, whatever the operand.
template <class... T>
void add_count(Table& table, const char* name, auto function, T... types) {
  (table.add(name, types.name, &compute<decltype(function), std::uint32_t, typename T::Value>,
             {ptx::Type::u32, T::ptx_type}),
   ...);
}

template <class... T>
void add_bit_fields(Table& table, T... types) {
  const auto extract = [](auto a, std::uint32_t start, std::uint32_t length) {
    return extracted(a, start, length);
  };
  (table.add("bfe", types.name,
             &compute<decltype(extract), typename T::Value, typename T::Value, std::uint32_t, std::uint32_t>,
             {T::ptx_type, T::ptx_type, ptx::Type::u32, ptx::Type::u32}),
   ...);
}

void add_arithmetic(Table& table) {
  // [add]
  binary(table, "add", [](auto a, auto b) { return a + b; }, u16, s16, u32, s32, u64, s64);
  binary(table, "sub", [](auto a, auto b) { return a - b; }, u16, s16, u32, s32, u64, s64);
  binary(table, "mul.lo", [](auto a, auto b) { return a * b; }, u16, s16, u32, s32, u64, s64);
  binary(table, "mul.hi", [](auto a, auto b) { return high_product(a, b); }, u16, s16, u32, s32, u64, s64);
  // [add]
  ternary(table, "mad.lo", [](auto a, auto b, auto c) { return a * b + c; }, u16, s16, u32, s32, u64, s64);
  ternary(
      table, "mad.hi", [](auto a, auto b, auto c) { return high_product(a, b) + c; }, u16, s16, u32, s32, u64,
      s64);
  add_wide(table, u16, s16, u32, s32);
  binary(table, "div", [](auto a, auto b) { return quotient(a, b); }, u16, s16, u32, s32, u64, s64);
  binary(table, "rem", [](auto a, auto b) { return remainder_of(a, b); }, u16, s16, u32, s32, u64, s64);
  binary(table, "min", [](auto a, auto b) { return a < b ? a : b; }, u16, s16, u32, s32, u64, s64);
  binary(table, "max", [](auto a, auto b) { return a < b ? b : a; }, u16, s16, u32, s32, u64, s64);
  unary(table, "abs", [](auto a) { return a < 0 ? -a : a; }, s16, s32, s64);
  unary(table, "neg", [](auto a) { return -a; }, s16, s32, s64);
  ternary(
      table, "sad", [](auto a, auto b, auto c) { return c + (a < b ? b - a : a - b); }, u16, s16, u32, s32,
      u64, s64);
  binary(table, "mul24.lo", [](auto a, auto b) { return (a << 8 >> 8) * (b << 8 >> 8); }, u32, s32);
  ternary(
      table, "mad24.lo", [](auto a, auto b, auto c) { return (a << 8 >> 8) * (b << 8 >> 8) + c; }, u32, s32);
  single(
      table, "add.sat.s32", [](std::int32_t a, std::int32_t b) { return clamped(std::int64_t{a} + b); }, s32,
      s32, s32);
  single(
      table, "sub.sat.s32", [](std::int32_t a, std::int32_t b) { return clamped(std::int64_t{a} - b); }, s32,
      s32, s32);
  single(
      table, "dp4a.u32.u32", [](auto a, auto b, auto c) { return dot4<std::uint8_t, std::uint8_t>(a, b, c); },
      u32, u32, u32, u32);
  single(
      table, "dp4a.u32.s32", [](auto a, auto b, auto c) { return dot4<std::uint8_t, std::int8_t>(a, b, c); },
      s32, u32, u32, s32);
  single(
      table, "dp4a.s32.u32", [](auto a, auto b, auto c) { return dot4<std::int8_t, std::uint8_t>(a, b, c); },
      s32, u32, u32, s32);
  single(
      table, "dp4a.s32.s32", [](auto a, auto b, auto c) { return dot4<std::int8_t, std::int8_t>(a, b, c); },
      s32, u32, u32, s32);
}

void add_bits(Table& table) {
  binary(table, "and", [](auto a, auto b) { return a & b; }, b16, b32, b64);
  binary(table, "or", [](auto a, auto b) { return a | b; }, b16, b32, b64);
  binary(table, "xor", [](auto a, auto b) { return a ^ b; }, b16, b32, b64);
  unary(table, "not", [](auto a) { return ~a; }, b16, b32, b64);
  unary(table, "cnot", [](auto a) { return a == 0 ? 1 : 0; }, b16, b32, b64);
  unary(table, "mov", [](auto a) { return a; }, b16, u16, s16, b32, u32, s32, b64, u64, s64, f32, f64);
  const auto left = [](auto a, std::uint32_t count) {
    return static_cast<decltype(a)>(count < sizeof a * 8 ? a << (count & (sizeof a * 8 - 1)) : 0);
  };
  const auto right = [](auto a, std::uint32_t count) {
    return static_cast<decltype(a)>(count < sizeof a * 8 ? a >> count : a >> (sizeof a * 8 - 1) >> 1);
  };
  add_shift(table, "shl", left, b16, b32, b64);
  add_shift(table, "shr", right, b16, b32, b64, u16, u32, u64, s16, s32, s64);
  add_count(table, "popc", [](auto a) { return static_cast<std::uint32_t>(std::popcount(a)); }, b32, b64);
  add_count(table, "clz", [](auto a) { return static_cast<std::uint32_t>(std::countl_zero(a)); }, b32, b64);
  add_count(table, "bfind", [](auto a) { return highest_bit(a); }, u32, s32, u64, s64);
  add_count(
      table, "bfind.shiftamt",
      [](auto a) {
        const std::uint32_t bit = highest_bit(a);
        return bit == ~0U ? bit : static_cast<std::uint32_t>(sizeof a * 8 - 1) - bit;
      },
      u32, s32, u64, s64);
  unary(table, "brev", [](auto a) { return reversed(a); }, b32, b64);
  add_bit_fields(table, u32, s32, u64, s64);
  const auto insert = [](auto a, auto b, std::uint32_t start, std::uint32_t length) {
    return inserted(a, b, start, length);
  };
  single(table, "bfi.b32", insert, b32, b32, b32, u32, u32);
  single(table, "bfi.b64", insert, b64, b64, b64, u32, u32);
  single(table, "prmt.b32", [](auto a, auto b, auto c) { return permuted(a, b, c); }, b32, b32, b32, b32);
  single(
      table, "lop3.b32", [](auto a, auto b, auto c, auto t) { return lop3(a, b, c, t); }, b32, b32, b32, b32,
      u32);
  single(
      table, "shf.l.wrap.b32", [](auto a, auto b, auto c) { return funnel_left(a, b, c & 31); }, b32, b32,
      b32, u32);
  single(
      table, "shf.l.clamp.b32", [](auto a, auto b, auto c) { return funnel_left(a, b, c < 32 ? c : 32); },
      b32, b32, b32, u32);
  single(
      table, "shf.r.wrap.b32", [](auto a, auto b, auto c) { return funnel_right(a, b, c & 31); }, b32, b32,
      b32, u32);
  single(
      table, "shf.r.clamp.b32", [](auto a, auto b, auto c) { return funnel_right(a, b, c < 32 ? c : 32); },
      b32, b32, b32, u32);
}

}  // namespace

void add_integer(Table& table) {
  add_arithmetic(table);
  add_bits(table);
}

}  // namespace weft::emulator::WEFT_ISA
