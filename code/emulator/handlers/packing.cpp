/// @file
/// mov between a register and the registers that make it up: mov.b64 %rd1, {%r1, %r2}.

#include <bit>

#include "emulator/execute/warp.hpp"
#include "emulator/handlers/handlers.hpp"

namespace weft::emulator {
namespace {

/// Slot 0: the whole; the others: its parts, the lowest first.
template <class Whole, class Part>
const Operation* pack(Warp& warp, const Operation& operation) {
  constexpr int count = sizeof(Whole) / sizeof(Part);
  auto* const result = warp.values<SlotBits<Whole>>(operation.slots[0]);
  for (int lane = 0; lane < lanes; ++lane) {
    if (warp.lane_mask[lane] == 0) continue;
    SlotBits<Whole> whole = 0;
    for (int i = 0; i < count; ++i) {
      const auto part = static_cast<Part>(
          warp.values<SlotBits<Part>>(operation.slots[static_cast<std::size_t>(i) + 1])[lane]);
      whole |= static_cast<SlotBits<Whole>>(part) << (8 * sizeof(Part) * static_cast<unsigned>(i));
    }
    result[lane] = whole;
  }
  return &operation + 1;
}

/// Slots 0 to count - 1: the parts; the last one: the whole.
template <class Whole, class Part>
const Operation* unpack(Warp& warp, const Operation& operation) {
  constexpr int count = sizeof(Whole) / sizeof(Part);
  const auto* const source = warp.values<SlotBits<Whole>>(operation.slots[count]);
  for (int lane = 0; lane < lanes; ++lane) {
    if (warp.lane_mask[lane] == 0) continue;
    const SlotBits<Whole> whole = source[lane];
    for (int i = 0; i < count; ++i) {
      warp.values<SlotBits<Part>>(operation.slots[static_cast<std::size_t>(i)])[lane] =
          static_cast<Part>(whole >> (8 * sizeof(Part) * static_cast<unsigned>(i)));
    }
  }
  return &operation + 1;
}

template <class Whole, class Part>
void add(Table& table, const char* suffix, ptx::Type whole, ptx::Type part) {
  table.add("pack", suffix, &pack<Whole, Part>, {whole, part});
  table.add("unpack", suffix, &unpack<Whole, Part>, {whole, part});
}

}  // namespace

void add_packing(Table& table) {
  using ptx::Type;
  add<std::uint64_t, std::uint32_t>(table, ".2.b64", Type::b64, Type::b32);
  add<std::uint64_t, std::uint16_t>(table, ".4.b64", Type::b64, Type::b16);
  add<std::uint32_t, std::uint16_t>(table, ".2.b32", Type::b32, Type::b16);
  add<std::uint32_t, std::uint8_t>(table, ".4.b32", Type::b32, Type::b8);
  add<std::uint16_t, std::uint8_t>(table, ".2.b16", Type::b16, Type::b8);
}

}  // namespace weft::emulator
