#pragma once

/// @file
/// Functions that mean the same on both sides: an instruction of the GPU, and what C++ says that it does.

#include <cuda_fp16.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

#ifdef __CUDA_ARCH__
#define WEFT_EITHER(device, host) device
#else
#define WEFT_EITHER(device, host) host
#endif
#define WEFT_BOTH __host__ __device__ inline

/// The host computes in a direction of rounding; nothing is folded or moved across.
template <int direction, class T, class Function>
T directed(Function f, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  std::fesetround(direction);
  volatile T result = f(T{x}, T{y}, T{z});
  std::fesetround(FE_TONEAREST);
  return result;
}

#define WEFT_DIRECTED(name, intrinsic, direction, type, expression)        \
  WEFT_BOTH type name(type a, type b, type c) {                            \
    (void)b, (void)c;                                                      \
    return WEFT_EITHER(intrinsic, (directed<direction, type>(              \
                                      [](type x, type y, type z) -> type { \
                                        (void)y, (void)z;                  \
                                        return expression;                 \
                                      },                                   \
                                      a, b, c)));                          \
  }
#define WEFT_DIRECTIONS(name, suffix, arguments, expression)                              \
  WEFT_DIRECTED(name##_rz, __f##suffix##_rz arguments, FE_TOWARDZERO, f32, expression)    \
  WEFT_DIRECTED(name##_rd, __f##suffix##_rd arguments, FE_DOWNWARD, f32, expression)      \
  WEFT_DIRECTED(name##_ru, __f##suffix##_ru arguments, FE_UPWARD, f32, expression)        \
  WEFT_DIRECTED(d##name##_rz, __d##suffix##_rz arguments, FE_TOWARDZERO, f64, expression) \
  WEFT_DIRECTED(d##name##_rd, __d##suffix##_rd arguments, FE_DOWNWARD, f64, expression)   \
  WEFT_DIRECTED(d##name##_ru, __d##suffix##_ru arguments, FE_UPWARD, f64, expression)

inline f32 fused(f32 a, f32 b, f32 c) { return std::fmaf(a, b, c); }
inline f64 fused(f64 a, f64 b, f64 c) { return std::fma(a, b, c); }

WEFT_DIRECTIONS(add, add, (a, b), x + y)
WEFT_DIRECTIONS(mul, mul, (a, b), x* y)
WEFT_DIRECTIONS(quotient, div, (a, b), x / y)
WEFT_DIRECTIONS(root, sqrt, (a), std::sqrt(x))
WEFT_DIRECTED(fused_rz, __fmaf_rz(a, b, c), FE_TOWARDZERO, f32, fused(x, y, z))
WEFT_DIRECTED(fused_rd, __fmaf_rd(a, b, c), FE_DOWNWARD, f32, fused(x, y, z))
WEFT_DIRECTED(dfused_rz, __fma_rz(a, b, c), FE_TOWARDZERO, f64, fused(x, y, z))
WEFT_DIRECTED(dfused_ru, __fma_ru(a, b, c), FE_UPWARD, f64, fused(x, y, z))

/// Bits of a float; those of a NaN, which the two sides make differently, are one pattern.
WEFT_BOTH u32 bits_of(f32 value) {
  u32 bits = 0;
  std::memcpy(&bits, &value, 4);
  return value == value ? bits : 0x7fc00000U;
}
WEFT_BOTH u64 bits_of(f64 value) {
  u64 bits = 0;
  std::memcpy(&bits, &value, 8);
  return value == value ? bits : 0x7ff8000000000000U;
}
WEFT_BOTH u32 bits_of(u32 value) { return value; }
WEFT_BOTH u32 bits_of(i32 value) { return static_cast<u32>(value); }
WEFT_BOTH u64 bits_of(u64 value) { return value; }
WEFT_BOTH u64 bits_of(i64 value) { return static_cast<u64>(value); }
WEFT_BOTH f32 float_of(u32 bits) {
  f32 value = 0;
  std::memcpy(&value, &bits, 4);
  return value;
}
WEFT_BOTH f64 double_of(u64 bits) {
  f64 value = 0;
  std::memcpy(&value, &bits, 8);
  return value;
}

/// Integers: wrapping, and defined everywhere.
template <class T>
WEFT_BOTH T quotient_of(T a, T b) {
  return b == 0 || (std::numeric_limits<T>::is_signed && b == T(-1)) ? T(~a) : T(a / b);
}
template <class T>
WEFT_BOTH T remainder_of(T a, T b) {
  return b == 0 || (std::numeric_limits<T>::is_signed && b == T(-1)) ? a : T(a % b);
}

/// To an integer: cut, and clamped.
template <class To, class From>
To clamped(From value) {
  if (!(value == value))
    return sizeof(From) == 8 || sizeof(To) == 8 ? To(u64{1} << (sizeof(To) * 8 - 1)) : To{0};
  const long double cut = std::trunc(static_cast<long double>(value));
  if (cut <= static_cast<long double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (cut >= static_cast<long double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(cut);
}
WEFT_BOTH i32 to_i32(f32 a) { return WEFT_EITHER(__float2int_rz(a), clamped<i32>(a)); }
WEFT_BOTH u32 to_u32(f32 a) { return WEFT_EITHER(__float2uint_rz(a), clamped<u32>(a)); }
WEFT_BOTH i64 to_i64(f32 a) { return WEFT_EITHER(__float2ll_rz(a), clamped<i64>(a)); }
WEFT_BOTH u64 to_u64(f32 a) { return WEFT_EITHER(__float2ull_rz(a), clamped<u64>(a)); }
WEFT_BOTH i32 to_i32(f64 a) { return WEFT_EITHER(__double2int_rz(a), clamped<i32>(a)); }
WEFT_BOTH u32 to_u32(f64 a) { return WEFT_EITHER(__double2uint_rz(a), clamped<u32>(a)); }
WEFT_BOTH i64 to_i64(f64 a) { return WEFT_EITHER(__double2ll_rz(a), clamped<i64>(a)); }
WEFT_BOTH u64 to_u64(f64 a) { return WEFT_EITHER(__double2ull_rz(a), clamped<u64>(a)); }

/// The smaller and the larger: never a NaN if there is a number, and -0 lies below 0.
template <class T>
WEFT_BOTH T smaller(T a, T b) {
  if (!(a == a)) return b;
  if (!(b == b)) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
WEFT_BOTH f32 least(f32 a, f32 b) { return WEFT_EITHER(fminf(a, b), smaller(a, b)); }
WEFT_BOTH f32 most(f32 a, f32 b) { return WEFT_EITHER(fmaxf(a, b), -smaller(-a, -b)); }
WEFT_BOTH f64 least(f64 a, f64 b) { return WEFT_EITHER(fmin(a, b), smaller(a, b)); }
WEFT_BOTH f64 most(f64 a, f64 b) { return WEFT_EITHER(fmax(a, b), -smaller(-a, -b)); }
WEFT_BOTH f32 saturated(f32 a) { return WEFT_EITHER(__saturatef(a), a > 0 ? (a < 1 ? a : 1) : 0); }

/// Through 16 bits and back.
WEFT_BOTH f32 halved(f32 a) { return __half2float(__float2half_rn(a)); }
WEFT_BOTH f32 half_sum(f32 a, f32 b) { return __half2float(__hadd(__float2half_rn(a), __float2half_rn(b))); }
WEFT_BOTH f32 half_product(f32 a, f32 b) {
  return __half2float(__hmul(__float2half_rn(a), __float2half_rn(b)));
}

inline int leading_zeros(u64 bits, int width) {
  int count = 0;
  while (count < width && (bits >> (width - 1 - count) & 1) == 0) ++count;
  return count;
}
inline u64 reversed(u64 bits, int width) {
  u64 result = 0;
  for (int i = 0; i < width; ++i) result |= (bits >> i & 1) << (width - 1 - i);
  return result;
}
__extension__ using wide = __int128;
__extension__ using unsigned_wide = unsigned __int128;
WEFT_BOTH i32 zeros(u32 a) { return WEFT_EITHER(__clz(static_cast<i32>(a)), leading_zeros(a, 32)); }
WEFT_BOTH i32 zeros(u64 a) { return WEFT_EITHER(__clzll(static_cast<i64>(a)), leading_zeros(a, 64)); }
WEFT_BOTH i32 ones(u32 a) { return WEFT_EITHER(__popc(a), __builtin_popcount(a)); }
WEFT_BOTH i32 ones(u64 a) { return WEFT_EITHER(__popcll(a), __builtin_popcountll(a)); }
WEFT_BOTH u32 mirrored(u32 a) { return WEFT_EITHER(__brev(a), static_cast<u32>(reversed(a, 32))); }
WEFT_BOTH u64 mirrored(u64 a) { return WEFT_EITHER(__brevll(a), reversed(a, 64)); }
WEFT_BOTH u32 high(u32 a, u32 b) { return WEFT_EITHER(__umulhi(a, b), static_cast<u32>(u64{a} * b >> 32)); }
WEFT_BOTH i32 high(i32 a, i32 b) { return WEFT_EITHER(__mulhi(a, b), static_cast<i32>(i64{a} * b >> 32)); }
WEFT_BOTH u64 high(u64 a, u64 b) {
  return WEFT_EITHER(__umul64hi(a, b), static_cast<u64>(static_cast<unsigned_wide>(a) * b >> 64));
}
WEFT_BOTH i64 high(i64 a, i64 b) {
  return WEFT_EITHER(__mul64hi(a, b), static_cast<i64>(static_cast<wide>(a) * b >> 64));
}
inline u32 picked(u32 a, u32 b, u32 selector) {
  const u64 bytes = a | u64{b} << 32;
  u32 result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<u32>(bytes >> (8 * (selector >> (4 * i) & 7)) & 255) << (8 * i);
  return result;
}
WEFT_BOTH u32 pick(u32 a, u32 b, u32 c) {
  return WEFT_EITHER(__byte_perm(a, b, c & 0x7777), picked(a, b, c & 0x7777));
}
WEFT_BOTH u32 funnel(u32 a, u32 b, u32 c) {
  return WEFT_EITHER(__funnelshift_l(a, b, c), static_cast<u32>((a | u64{b} << 32) << (c & 31) >> 32));
}
inline i32 dot_bytes(u32 a, u32 b, i32 c) {
  u32 sum = static_cast<u32>(c);
  for (int i = 0; i < 32; i += 8)
    sum += static_cast<u32>(static_cast<std::int8_t>(a >> i) * static_cast<std::int8_t>(b >> i));
  return static_cast<i32>(sum);
}
WEFT_BOTH i32 dot(u32 a, u32 b, i32 c) {
  return WEFT_EITHER(__dp4a(static_cast<i32>(a), static_cast<i32>(b), c), dot_bytes(a, b, c));
}
WEFT_BOTH u32 apart(u32 a, u32 b, u32 c) { return WEFT_EITHER(__usad(a, b, c), c + (a < b ? b - a : a - b)); }
