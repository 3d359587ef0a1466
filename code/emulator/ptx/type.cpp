#include "emulator/ptx/type.hpp"

#include <array>
#include <utility>

namespace weft::emulator::ptx {

namespace {

constexpr std::array<std::pair<std::string_view, Type>, 25> names{{
    {"pred", Type::pred},   {"b8", Type::b8},         {"b16", Type::b16},       {"b32", Type::b32},
    {"b64", Type::b64},     {"b128", Type::b128},     {"u8", Type::u8},         {"u16", Type::u16},
    {"u32", Type::u32},     {"u64", Type::u64},       {"s8", Type::s8},         {"s16", Type::s16},
    {"s32", Type::s32},     {"s64", Type::s64},       {"f16", Type::f16},       {"bf16", Type::bf16},
    {"f16x2", Type::f16x2}, {"bf16x2", Type::bf16x2}, {"u16x2", Type::u16x2},   {"s16x2", Type::s16x2},
    {"tf32", Type::tf32},   {"e4m3x2", Type::e4m3x2}, {"e5m2x2", Type::e5m2x2}, {"f32", Type::f32},
    {"f64", Type::f64},
}};

}  // namespace

std::optional<Type> type_named(std::string_view word) {
  for (const auto& [name, type] : names) {
    if (name == word) return type;
  }
  return std::nullopt;
}

std::string_view name_of(Type type) {
  for (const auto& [name, own] : names) {
    if (own == type) return name;
  }
  return {};
}

}  // namespace weft::emulator::ptx
