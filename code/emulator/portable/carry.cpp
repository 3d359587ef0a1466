/// @file
/// Arithmetic of integers wider than a register: the carry is a predicate of its own.

#include "emulator/portable/all.hpp"
#include "emulator/vector/families.hpp"
#include "emulator/vector/integer_rules.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// What an instruction gives: a word, and what does not fit into it.
template <class T>
struct WithCarry {
  T value;
  bool carry;
};

template <class T>
constexpr WithCarry<T> sum_with_carry(T a, T b, bool carry) {
  const T partial = a + b;
  const T total = partial + static_cast<T>(carry);
  return {total, partial < a || total < partial};
}

template <class T>
constexpr WithCarry<T> difference_with_borrow(T a, T b, bool borrow) {
  const T partial = a - b;
  return {static_cast<T>(partial - static_cast<T>(borrow)), a < b || (borrow && partial == 0)};
}

/// Slots: the result, the carry if one is given, operands, the carry if one is taken.
template <class T, class Function, std::size_t operand_count, bool gives, bool takes>
const Operation* compute_carry(Warp& warp, const Operation& operation) {
  constexpr std::size_t first = gives ? 2 : 1;
  const std::uint32_t incoming = takes ? warp.predicate(operation.slots[first + operand_count]) : 0;
  auto* const result = warp.values<T>(operation.slots[0]);
  const T* operands[3] = {};
  for (std::size_t i = 0; i < operand_count; ++i) operands[i] = warp.values<T>(operation.slots[first + i]);
  std::uint32_t outgoing = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const std::uint32_t bit = lane_bits<std::uint32_t>.of[lane];
    const bool carry = (incoming & bit) != 0;
    WithCarry<T> got{};
    if constexpr (operand_count == 2) got = Function{}(operands[0][lane], operands[1][lane], carry);
    if constexpr (operand_count == 3)
      got = Function{}(operands[0][lane], operands[1][lane], operands[2][lane], carry);
    result[lane] = warp.lane_mask[lane] != 0 ? got.value : result[lane];
    outgoing |= got.carry ? bit : 0;
  }
  if constexpr (gives) warp.set_predicate(operation.slots[1], outgoing);
  return &operation + 1;
}

/// @param first, next names of the instruction that starts a chain, and of the one that goes on with it
template <std::size_t operand_count, class Function, class T>
void add_chain(Table& table, const char* first, const char* next, const char* part, Function, T type) {
  using V = std::make_unsigned_t<typename T::Value>;
  const auto add = [&](const char* name, const char* cc, Handler run) {
    if (operand_count == 2) {
      table.add({name, part, cc, type.name}, run, {T::ptx_type, T::ptx_type, T::ptx_type});
    } else {
      table.add({name, part, cc, type.name}, run, {T::ptx_type, T::ptx_type, T::ptx_type, T::ptx_type});
    }
  };
  add(first, ".cc", &compute_carry<V, Function, operand_count, true, false>);
  add(next, ".cc", &compute_carry<V, Function, operand_count, true, true>);
  add(next, "", &compute_carry<V, Function, operand_count, false, true>);
}

template <class T>
void add_type(Table& table, T type) {
  add_chain<2>(
      table, "add", "addc", "", [](auto a, auto b, bool carry) { return sum_with_carry(a, b, carry); }, type);
  add_chain<2>(
      table, "sub", "subc", "",
      [](auto a, auto b, bool carry) { return difference_with_borrow(a, b, carry); }, type);
  add_chain<3>(
      table, "mad", "madc", ".lo",
      [](auto a, auto b, auto c, bool carry) {
        return sum_with_carry(static_cast<decltype(a)>(a * b), c, carry);
      },
      type);
  add_chain<3>(
      table, "mad", "madc", ".hi",
      [](auto a, auto b, auto c, bool carry) {
        using Value = T::Value;
        const Value product = high_product(static_cast<Value>(a), static_cast<Value>(b));
        return sum_with_carry(static_cast<decltype(a)>(product), c, carry);
      },
      type);
}

}  // namespace

void add_carry(Table& table) {
  add_type(table, u32);
  add_type(table, s32);
  add_type(table, u64);
  add_type(table, s64);
}

}  // namespace weft::emulator::WEFT_ISA
