#pragma once

/// @file
/// Which lane keeps which element of a matrix in which register, as PTX's mma.sync says. wmma, whose layout
/// PTX leaves open, uses the same one, tile by tile; what its registers hold beyond the matrix is a copy.

#include <algorithm>
#include <bit>
#include <cstdint>

namespace weft::emulator {

/// A product's shape, and how many registers hold each operand. It travels in an operation's immediate.
struct MatrixShape {
  std::uint8_t rows = 0, columns = 0, depth = 0;  ///< PTX's m, n, k
  std::uint8_t a = 0, b = 0, c = 0, d = 0;        ///< registers of each operand
  std::uint8_t flags = 0;                         ///< the handler's matter

  [[nodiscard]] std::uint64_t packed() const { return std::bit_cast<std::uint64_t>(*this); }
  static MatrixShape unpacked(std::uint64_t bits) { return std::bit_cast<MatrixShape>(bits); }
};
static_assert(sizeof(MatrixShape) == 8);

/// How wmma moves a fragment, among its shape's flags.
inline constexpr std::uint8_t fragment_by_columns = 1,  ///< columns lie one after the other in memory
    fragment_by_rows = 2,                               ///< lanes give the addresses of rows of 16 bytes
    fragment_across = 4,    ///< blocks of 8 × 8 elements are transposed on the way
    fragment_in_pairs = 8;  ///< two registers at once

struct Element {
  int row, column;
};

/// An element of A, rows × depth.
/// @param per_register elements that one register holds
/// @param i which of them
constexpr Element element_of_a(const MatrixShape& shape, int per_register, int reg, int lane, int i) {
  const int row_blocks = std::min<int>(shape.rows, 16) / 8;  // of one tile
  const int depth_blocks = shape.depth / (4 * per_register);
  const int tile_registers = row_blocks * depth_blocks;
  const int own = reg % (shape.rows / (8 * row_blocks) * tile_registers);
  const int within = own % tile_registers;
  return {16 * (own / tile_registers) + 8 * (within % row_blocks) + lane / 4,
          within / row_blocks * 4 * per_register + lane % 4 * per_register + i};
}

/// An element of B, depth × columns.
constexpr Element element_of_b(const MatrixShape& shape, int per_register, int reg, int lane, int i) {
  const int depth_blocks = shape.depth / (4 * per_register);
  const int own = reg % (depth_blocks * shape.columns / 8);
  return {own % depth_blocks * 4 * per_register + lane % 4 * per_register + i,
          own / depth_blocks * 8 + lane / 4};
}

/// An element of C or D, rows × columns.
/// @param per_register 2 for pairs of halves, else 1
constexpr Element element_of_c(const MatrixShape& shape, int per_register, int reg, int lane, int i) {
  const int number = reg * per_register + i;
  const int row_blocks = std::min<int>(shape.rows, 16) / 8;
  const int block = number / 2;  // of 8 × 8 elements, two of them in each lane
  const int column_blocks = shape.columns / 8;
  const int tile = block / (row_blocks * column_blocks);
  const int within = block % (row_blocks * column_blocks);
  return {16 * tile + 8 * (within % row_blocks) + lane / 4,
          within / row_blocks * 8 + lane % 4 * 2 + number % 2};
}

}  // namespace weft::emulator
