#pragma once

/// @file
/// Adding families of instructions to the table: one function, several types.

#include "emulator/vector/lanes.hpp"

namespace weft::emulator::WEFT_ISA {

/// `name.T d, a;` for each type
template <class Function, class... T>
void unary(Table& table, const char* name, Function, T... types) {
  (table.add(name, types.name, &compute<Function, typename T::Value, typename T::Value>,
             {T::ptx_type, T::ptx_type}),
   ...);
}

/// `name.T d, a, b;` for each type
template <class Function, class... T>
void binary(Table& table, const char* name, Function, T... types) {
  (table.add(name, types.name, &compute<Function, typename T::Value, typename T::Value, typename T::Value>,
             {T::ptx_type, T::ptx_type, T::ptx_type}),
   ...);
}

/// `name.T d, a, b, c;` for each type
template <class Function, class... T>
void ternary(Table& table, const char* name, Function, T... types) {
  (table.add(name, types.name,
             &compute<Function, typename T::Value, typename T::Value, typename T::Value, typename T::Value>,
             {T::ptx_type, T::ptx_type, T::ptx_type, T::ptx_type}),
   ...);
}

/// `name d, a, …;` with types of its own
template <class Function, class Result, class... Operand>
void single(Table& table, const char* name, Function, Result, Operand...) {
  table.add(name, "", &compute<Function, typename Result::Value, typename Operand::Value...>,
            {Result::ptx_type, Operand::ptx_type...});
}

}  // namespace weft::emulator::WEFT_ISA
