#pragma once

/// @file
/// How vector code sees the lanes of a warp. The files of this folder are compiled once per instruction set,
/// each time into a namespace of its own, WEFT_ISA: plain loops over 32 lanes, which the compiler turns into
/// vectors.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "emulator/execute/warp.hpp"
#include "emulator/operation/table.hpp"

namespace weft::emulator {

/// Code for all processors, what is executed seldom, takes one lane after the other: a second loop, for whole
/// warps, would only make more of it.
inline constexpr bool lane_by_lane = false;
namespace portable {
inline constexpr bool lane_by_lane = true;
}

}  // namespace weft::emulator

namespace weft::emulator::WEFT_ISA {

/// A PTX type: its name, and the C++ type that computes like it.
template <class T, ptx::Type type>
struct TypeTag {
  using Value = T;
  static constexpr ptx::Type ptx_type = type;
  const char* name;
};

inline constexpr TypeTag<std::uint8_t, ptx::Type::u8> u8{".u8"};
inline constexpr TypeTag<std::uint16_t, ptx::Type::u16> u16{".u16"};
inline constexpr TypeTag<std::uint32_t, ptx::Type::u32> u32{".u32"};
inline constexpr TypeTag<std::uint64_t, ptx::Type::u64> u64{".u64"};
inline constexpr TypeTag<std::int8_t, ptx::Type::s8> s8{".s8"};
inline constexpr TypeTag<std::int16_t, ptx::Type::s16> s16{".s16"};
inline constexpr TypeTag<std::int32_t, ptx::Type::s32> s32{".s32"};
inline constexpr TypeTag<std::int64_t, ptx::Type::s64> s64{".s64"};
inline constexpr TypeTag<std::uint8_t, ptx::Type::b8> b8{".b8"};
inline constexpr TypeTag<std::uint16_t, ptx::Type::b16> b16{".b16"};
inline constexpr TypeTag<std::uint32_t, ptx::Type::b32> b32{".b32"};
inline constexpr TypeTag<std::uint64_t, ptx::Type::b64> b64{".b64"};
inline constexpr TypeTag<std::uint16_t, ptx::Type::f16> f16{".f16"};
inline constexpr TypeTag<std::uint16_t, ptx::Type::bf16> bf16{".bf16"};
inline constexpr TypeTag<std::uint32_t, ptx::Type::f16x2> f16x2{".f16x2"};
inline constexpr TypeTag<std::uint32_t, ptx::Type::bf16x2> bf16x2{".bf16x2"};
inline constexpr TypeTag<float, ptx::Type::f32> f32{".f32"};
inline constexpr TypeTag<double, ptx::Type::f64> f64{".f64"};

/// What a lane's value of T is kept as: 4 bytes at least, so that all types of up to 4 bytes share slots.
template <class T>
using Kept = std::conditional_t<std::is_floating_point_v<T>, T, SlotBits<T>>;

/// A function of T, of 16 bits, applied to both halves of words.
template <class T, class Function>
struct OfHalves {
  template <class... Word>
  constexpr std::uint32_t operator()(Word... words) const {
    const auto low = static_cast<std::uint16_t>(Function{}(static_cast<T>(words)...));
    const auto high = static_cast<std::uint16_t>(Function{}(static_cast<T>(words >> 16)...));
    return low | static_cast<std::uint32_t>(high) << 16;
  }
};

// [for-lanes]
/// Sets result[lane] = f(operands[lane]…) for the active lanes. A result may lie where an operand lies.
template <class Function, class Result, class... Operand>
inline void for_lanes(const Warp& warp, Function f, Result* result, const Operand*... operands) {
  if (warp.active == all_lanes) {
#pragma GCC ivdep
    for (int lane = 0; lane < lanes; ++lane) result[lane] = f(operands[lane]...);
  } else {
#pragma GCC ivdep
    for (int lane = 0; lane < lanes; ++lane) {
      const Result value = f(operands[lane]...);
      result[lane] = warp.lane_mask[lane] != 0 ? value : result[lane];
    }
  }
}
// [for-lanes]

/// The same, as is best for this instruction set.
template <class Function, class Result, class... Operand>
inline void for_active_lanes(const Warp& warp, Function f, Result* result, const Operand*... operands) {
  if constexpr (lane_by_lane) {
    for (int lane = 0; lane < lanes; ++lane) {
      if (warp.lane_mask[lane] != 0) result[lane] = f(operands[lane]...);
    }
  } else {
    for_lanes(warp, f, result, operands...);
  }
}

/// A handler: slot 0 = Function(slot 1, slot 2, …), lane by lane.
template <class Function, class Result, class... Operand>
const Operation* compute(Warp& warp, const Operation& operation) {
  const auto kept = [](Kept<Operand>... values) {
    return static_cast<Kept<Result>>(static_cast<Result>(Function{}(static_cast<Operand>(values)...)));
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    for_active_lanes(
        warp, kept, warp.values<Kept<Result>>(operation.slots[0]),
        static_cast<const Kept<Operand>*>(warp.values<Kept<Operand>>(operation.slots[i + 1]))...);
  }(std::index_sequence_for<Operand...>{});
  return &operation + 1;
}

}  // namespace weft::emulator::WEFT_ISA
