#pragma once

/// @file
/// PTX's fundamental types.

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::emulator::ptx {

// clang-format off
enum class Type : std::uint8_t {
  pred,
  b8, b16, b32, b64, b128,
  u8, u16, u32, u64,
  s8, s16, s32, s64,
  f16, bf16, f16x2, bf16x2, u16x2, s16x2,
  tf32, e4m3x2, e5m2x2,
  f32, f64,
};
// clang-format on

/// The type that a modifier names, such as `u32` for `.u32` (given without the dot); nothing for other words.
std::optional<Type> type_named(std::string_view word);

/// The modifier that names a type, without its dot.
std::string_view name_of(Type type);

/// Bytes of a value of a type; a predicate counts as 4, as the emulator keeps one word per warp.
constexpr int bytes_of(Type type) {
  switch (type) {
    case Type::b8:
    case Type::u8:
    case Type::s8:
      return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16:
    case Type::e4m3x2:
    case Type::e5m2x2:
      return 2;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return 8;
    case Type::b128:
      return 16;
    default:
      return 4;
  }
}

/// Whether a type's values are floating-point numbers, single or in pairs.
constexpr bool is_floating(Type type) {
  switch (type) {
    case Type::f16:
    case Type::bf16:
    case Type::f16x2:
    case Type::bf16x2:
    case Type::tf32:
    case Type::e4m3x2:
    case Type::e5m2x2:
    case Type::f32:
    case Type::f64:
      return true;
    default:
      return false;
  }
}

}  // namespace weft::emulator::ptx
