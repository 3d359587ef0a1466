#pragma once

/// @file
/// What wgmma multiplies, and where its factors lie in shared memory.

#include <bit>
#include <cstdint>

namespace weft::emulator {

/// A product of four warps: 64 rows, of which each warp has 16. It travels in an operation's immediate.
struct WarpgroupProduct {
  std::uint16_t columns = 0;    ///< PTX's n
  std::uint8_t depth = 0;       ///< PTX's k
  bool a_in_registers = false;  ///< else a descriptor tells where it lies
  bool negative_a = false;
  bool negative_b = false;
  std::uint16_t unused = 0;

  [[nodiscard]] std::uint64_t packed() const { return std::bit_cast<std::uint64_t>(*this); }
  static WarpgroupProduct unpacked(std::uint64_t bits) { return std::bit_cast<WarpgroupProduct>(bits); }
};
static_assert(sizeof(WarpgroupProduct) == 8);

// [descriptor]
/// Where the rows of A, or the columns of B, lie in shared memory: their elements side by side along the
/// depth (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout").
class MatrixDescriptor {
 public:
  explicit MatrixDescriptor(std::uint64_t bits)
      : start_(bytes(bits)),
        next_piece_(bytes(bits >> 16)),
        next_rows_(bytes(bits >> 32)),
        swizzle_(bits >> 62) {}

  /// The address of byte `offset` of a row.
  [[nodiscard]] std::uint64_t address(std::uint64_t row, std::uint64_t offset) const {
    if (swizzle_ == 0) {  // pieces of 16 bytes, of eight rows each
      return start_ + row / 8 * next_rows_ + row % 8 * 16 + offset / 16 * next_piece_ + offset % 16;
    }
    const std::uint64_t row_bytes = 256 >> swizzle_;  // 1: 128, 2: 64, 3: 32
    const std::uint64_t plain = start_ + row / 8 * next_rows_ + row % 8 * row_bytes + offset;
    return plain ^ ((plain >> 7 & (row_bytes / 16 - 1)) << 4);
  }

 private:
  static std::uint64_t bytes(std::uint64_t field) { return (field & 0x3fff) << 4; }

  std::uint64_t start_, next_piece_, next_rows_, swizzle_;
};
// [descriptor]

}  // namespace weft::emulator
