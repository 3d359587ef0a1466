/// @file
/// Atomics: atom gives back what was there before, red does not.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <string>

#include "emulator/execute/handlers.hpp"
#include "emulator/execute/memory.hpp"
#include "emulator/execute/warp.hpp"

namespace weft::emulator {
namespace {

template <class T>
using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Changes a word in memory that other workers may be changing, too.
/// @return what it was before
template <class T, class Function>
T change(std::byte* place, Function f) {
  std::atomic_ref<Word<T>> const word(*reinterpret_cast<Word<T>*>(place));
  Word<T> before = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(before, std::bit_cast<Word<T>>(f(std::bit_cast<T>(before))))) {
  }
  return std::bit_cast<T>(before);
}

/// Slots: the result, if `returns`; the address; operand b; operand c of `cas`.
template <class T, class Function, bool returns>
const Operation* atomic(Warp& warp, const Operation& operation) {
  constexpr std::size_t first = returns ? 1 : 0;
  const auto places = locate(warp, operation, operation.slots[first]);
  const auto* const b = warp.values<Word<T>>(operation.slots[first + 1]);
  const auto* const c = warp.values<Word<T>>(operation.slots[first + 2]);
  std::array<Word<T>, lanes> before{};
  for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    before[lane] = std::bit_cast<Word<T>>(change<T>(places[lane], [&](T old) {
      return Function{}(old, std::bit_cast<T>(b[lane]), std::bit_cast<T>(c[lane]));
    }));
  }
  if constexpr (returns) {
    auto* const result = warp.values<Word<T>>(operation.slots[0]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (warp.lane_mask[lane] != 0) result[lane] = before[lane];
    }
  }
  if constexpr (returns) look_for_others(warp);
  return &operation + 1;
}

/// `atom.name.T` and `red.name.T`
template <class T, class Function>
void add(Table& table, const char* name, const char* suffix, ptx::Type type, Function) {
  table.add((std::string("atom.") + name).c_str(), suffix, &atomic<T, Function, true>, {type});
  table.add((std::string("red.") + name).c_str(), suffix, &atomic<T, Function, false>, {type});
}

template <class T>
void add_integers(Table& table, const char* suffix, ptx::Type type) {
  add<T>(table, "add", suffix, type,
         [](T old, T b, T) { return static_cast<T>(static_cast<Word<T>>(old) + static_cast<Word<T>>(b)); });
  add<T>(table, "min", suffix, type, [](T old, T b, T) { return std::min(old, b); });
  add<T>(table, "max", suffix, type, [](T old, T b, T) { return std::max(old, b); });
}

template <class T>
void add_bits(Table& table, const char* suffix, ptx::Type type) {
  add<T>(table, "and", suffix, type, [](T old, T b, T) { return old & b; });
  add<T>(table, "or", suffix, type, [](T old, T b, T) { return old | b; });
  add<T>(table, "xor", suffix, type, [](T old, T b, T) { return old ^ b; });
  add<T>(table, "exch", suffix, type, [](T, T b, T) { return b; });
  add<T>(table, "cas", suffix, type, [](T old, T b, T c) { return old == b ? c : old; });
}

}  // namespace

void add_atomic(Table& table) {
  using ptx::Type;
  add_integers<std::uint32_t>(table, ".u32", Type::u32);
  add_integers<std::int32_t>(table, ".s32", Type::s32);
  add_integers<std::uint64_t>(table, ".u64", Type::u64);
  add_integers<std::int64_t>(table, ".s64", Type::s64);
  add_bits<std::uint32_t>(table, ".b32", Type::b32);
  add_bits<std::uint64_t>(table, ".b64", Type::b64);
  add<std::uint32_t>(table, "inc", ".u32", Type::u32, [](std::uint32_t old, std::uint32_t b, std::uint32_t) {
    return old >= b ? 0 : old + 1;
  });
  add<std::uint32_t>(table, "dec", ".u32", Type::u32, [](std::uint32_t old, std::uint32_t b, std::uint32_t) {
    return old == 0 || old > b ? b : old - 1;
  });
  add<float>(table, "add", ".f32", Type::f32, [](float old, float b, float) { return old + b; });
  add<double>(table, "add", ".f64", Type::f64, [](double old, double b, double) { return old + b; });
}

}  // namespace weft::emulator
