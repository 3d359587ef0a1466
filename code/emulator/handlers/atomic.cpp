/// @file
/// Atomics: atom gives back what was there before, red does not.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <string>

#include "emulator/execute/block.hpp"
#include "emulator/execute/memory.hpp"
#include "emulator/execute/warp.hpp"
#include "emulator/handlers/handlers.hpp"
#include "emulator/memory/shared_history.hpp"
#include "emulator/vector/float_rules.hpp"
#include "emulator/vector/small_float.hpp"

namespace weft::emulator {
namespace {

namespace portable = WEFT_ISA;

/// What a value is in memory.
template <class T>
using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

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

/// What a function is told that must know where it computes.
struct Place {
  bool shared;
};

/// Changes what is at a place by a function of what is there, and of two operands or of one and the place.
template <class T, class Function>
SlotBits<T> apply(const Warp& warp, std::byte* place, SlotBits<T> b, [[maybe_unused]] SlotBits<T> c) {
  const auto operand = [](SlotBits<T> bits) { return std::bit_cast<T>(static_cast<Word<T>>(bits)); };
  T after{};
  const T before = change<T>(place, [&](T old) {
    if constexpr (std::is_invocable_v<Function, T, T, Place>) {
      after = static_cast<T>(Function{}(old, operand(b), Place{warp.in_shared_memory(place)}));
    } else {
      after = static_cast<T>(Function{}(old, operand(b), operand(c)));
    }
    return after;
  });
  if (std::bit_cast<Word<T>>(after) != std::bit_cast<Word<T>>(before)) ++warp.block->progress;
  return std::bit_cast<Word<T>>(before);
}

/// Slots: the result, if `returns`; the address; operand b; operand c of `cas`.
template <class T, class Function, bool returns>
const Operation* atomic(Warp& warp, const Operation& operation) {
  constexpr std::size_t first = returns ? 1 : 0;
  const std::uint64_t progress = warp.block->progress;
  const auto places = locate(warp, operation, operation.slots[first]);
  const auto* const b = warp.values<SlotBits<T>>(operation.slots[first + 1]);
  const auto* const c = warp.values<SlotBits<T>>(operation.slots[first + 2]);
  std::array<SlotBits<T>, lanes> before{};
  each_lane(warp.active, [&](std::size_t lane) {
    before[lane] = apply<T, Function>(warp, places[lane], b[lane], c[lane]);
  });
  if constexpr (returns) {
    if (warp.history != nullptr) warp.history->learned(static_cast<std::uint32_t>(warp.index));
    auto* const result = warp.values<SlotBits<T>>(operation.slots[0]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (warp.lane_mask[lane] != 0) result[lane] = before[lane];
    }
    if (warp.block->progress == progress) look_for_others(warp);  // it may wait for a lock
  }
  return &operation + 1;
}

/// Several neighbouring words, each changed by itself. A list of slots: the results, if `returns`; the
/// values; the address. The site's bytes say how many there are.
template <class T, class Function, bool returns>
const Operation* atomic_vector(Warp& warp, const Operation& operation) {
  const auto* const slots = static_cast<const std::uint32_t*>(operation.more);
  const auto count = static_cast<std::size_t>(site_of(warp, operation).bytes) / sizeof(T);
  const auto* const values = slots + (returns ? count : 0);
  const auto places = locate(warp, operation, values[count]);
  each_lane(warp.active, [&](std::size_t lane) {
    for (std::size_t i = 0; i < count; ++i) {
      const SlotBits<T> before = apply<T, Function>(warp, places[lane] + i * sizeof(T),
                                                    warp.values<SlotBits<T>>(values[i])[lane], 0);
      if constexpr (returns) warp.values<SlotBits<T>>(slots[i])[lane] = before;
    }
  });
  if constexpr (returns) look_for_others(warp);
  return &operation + 1;
}

/// `atom.name.T` and `red.name.T`
template <class T, class Function>
void add(Table& table, const char* name, const char* suffix, ptx::Type type, Function) {
  table.add({"atom.", name, suffix}, &atomic<T, Function, true>, {type});
  table.add({"red.", name, suffix}, &atomic<T, Function, false>, {type});
}

/// `atom.vector.name.T` and `red.vector.name.T`
template <class T, class Function>
void add_with_vectors(Table& table, const char* name, const char* suffix, ptx::Type type, Function function) {
  add<T>(table, name, suffix, type, function);
  table.add({"atom.vector.", name, suffix}, &atomic_vector<T, Function, true>, {type});
  table.add({"red.vector.", name, suffix}, &atomic_vector<T, Function, false>, {type});
}

template <class T>
void add_integers(Table& table, const char* suffix, ptx::Type type) {
  add<T>(table, "add", suffix, type,
         [](T old, T b, T) { return static_cast<T>(static_cast<Word<T>>(old) + static_cast<Word<T>>(b)); });
  add<T>(table, "min", suffix, type, [](T old, T b, T) { return std::min(old, b); });
  add<T>(table, "max", suffix, type, [](T old, T b, T) { return std::max(old, b); });
}

template <class T>
void add_exchanges(Table& table, const char* suffix, ptx::Type type) {
  add<T>(table, "exch", suffix, type, [](T, T b, T) { return b; });
  add<T>(table, "cas", suffix, type, [](T old, T b, T c) { return old == b ? c : old; });
}

template <class T>
void add_bits(Table& table, const char* suffix, ptx::Type type) {
  add<T>(table, "and", suffix, type, [](T old, T b, T) { return old & b; });
  add<T>(table, "or", suffix, type, [](T old, T b, T) { return old | b; });
  add<T>(table, "xor", suffix, type, [](T old, T b, T) { return old ^ b; });
  add_exchanges<T>(table, suffix, type);
}

/// A function of what 16-bit floats stand for, on their bits.
template <class Format, class Function>
struct OfSmall {
  std::uint16_t operator()(std::uint16_t old, std::uint16_t b, std::uint16_t /*c*/) const {
    return Format::bits_of(portable::rounded<Format, portable::Rounding::rn>(
        Function{}(double{Format::value(old)}, double{Format::value(b)})));
  }
};

template <class Function>
struct OfPair {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t b, std::uint32_t /*c*/) const {
    const auto half = [&](int shift) {
      return std::uint32_t{Function{}(static_cast<std::uint16_t>(old >> shift),
                                      static_cast<std::uint16_t>(b >> shift), std::uint16_t{0})};
    };
    return half(0) | half(16) << 16;
  }
};

template <class Format>
void add_small(Table& table, const char* one, const char* two, ptx::Type one_type, ptx::Type two_type) {
  const auto add_function = [&]<class Function>(const char* name, Function) {
    using Small = OfSmall<Format, Function>;
    add_with_vectors<std::uint16_t>(table, name, one, one_type, Small{});
    add_with_vectors<std::uint32_t>(table, name, two, two_type, OfPair<Small>{});
  };
  add_function("add", [](double a, double b) { return a + b; });
  add_function("min", portable::smaller);
  add_function("max", portable::larger);
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
  add_exchanges<std::uint16_t>(table, ".b16", Type::b16);
  add<std::uint32_t>(table, "inc", ".u32", Type::u32, [](std::uint32_t old, std::uint32_t b, std::uint32_t) {
    return old >= b ? 0 : old + 1;
  });
  add<std::uint32_t>(table, "dec", ".u32", Type::u32, [](std::uint32_t old, std::uint32_t b, std::uint32_t) {
    return old == 0 || old > b ? b : old - 1;
  });
  // In global memory floats lose their subnormals, in shared memory they do not.
  add_with_vectors<float>(table, "add", ".f32", Type::f32, [](float old, float b, Place at) {
    using portable::canonical;
    using portable::flushed;
    return at.shared ? canonical(old + b) : canonical(flushed(flushed(old) + flushed(b)));
  });
  add<double>(table, "add", ".f64", Type::f64,
              [](double old, double b, double) { return portable::canonical(old + b, old, b); });
  add_small<portable::Half>(table, ".f16", ".f16x2", Type::f16, Type::f16x2);
  add_small<portable::Bfloat>(table, ".bf16", ".bf16x2", Type::bf16, Type::bf16x2);
}

}  // namespace weft::emulator
