#pragma once

/// @file
/// How the machine code carries out wmma's loads and stores. PTX leaves it open; this is what ptxas makes of
/// them for compute capabilities 7.5 to 9.0, as its machine code shows.

#include <string_view>

#include "binary/machine_instruction.hpp"
#include "emulator/operation/matrix_layout.hpp"
#include "emulator/ptx/module.hpp"

namespace weft::emulator {

/// `m16n8k16`; no rows if a word is no shape.
MatrixShape shape_named(std::string_view word);

/// Elements that a register of a factor or a sum holds.
int elements_per_register(std::string_view type);

/// Elements of a matrix, `a`, `b`, `c` or `d`, of a product's shape.
int elements_of(const MatrixShape& shape, std::string_view matrix);

/// The machine's accesses for one wmma.load or wmma.store.
struct FragmentAccess {
  MachineOperation operation{};
  int bytes = 0;          ///< per lane, of each instruction
  int instructions = 0;   ///< how many
  bool by_rows = false;   ///< as ldmatrix does: lanes give the addresses of rows of 16 bytes
  bool across = false;    ///< blocks of 8 × 8 elements are transposed on their way
  bool in_pairs = false;  ///< two registers at once
  bool known = false;     ///< otherwise it is not known how
};

/// @param shape that the instruction names, with no registers yet
/// @param registers that hold different elements
FragmentAccess fragment_access(const ptx::Instruction& instruction, const MatrixShape& shape, int registers);

}  // namespace weft::emulator
