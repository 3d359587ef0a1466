#pragma once

/// @file
/// What `cuTensorMapEncodeTiled` writes into its 128 bytes. The layout is the emulator's own: programs must
/// not look.

#include <array>
#include <cstdint>

namespace weft::emulator {

/// A tensor in global memory, and the boxes in which it is copied. Lists start with the fastest dimension.
struct TensorMap {
  static constexpr std::uint32_t valid = 0x77656674;
  static constexpr std::size_t most_dimensions = 5;

  enum class Swizzle : std::uint8_t { none, bytes_32, bytes_64, bytes_128 };

  std::uint32_t mark = 0;
  std::uint8_t element_bytes = 0;
  std::uint8_t dimensions = 0;
  Swizzle swizzle = Swizzle::none;
  std::uint64_t address = 0;
  std::array<std::uint64_t, most_dimensions> pitch{};   ///< bytes from one index to the next
  std::array<std::uint32_t, most_dimensions> length{};  ///< elements
  std::array<std::uint16_t, most_dimensions> box{};     ///< elements

  /// Where a byte of a box lies in shared memory, given where it would lie without a swizzle.
  [[nodiscard]] std::uint64_t swizzled(std::uint64_t place) const {
    const auto bits = static_cast<unsigned>(swizzle);  // 16-byte pieces move by the bits from 7 on
    return place ^ ((place >> 7 & ((1U << bits) - 1)) << 4);
  }

  [[nodiscard]] std::uint64_t box_bytes() const {
    std::uint64_t bytes = element_bytes;
    for (std::size_t i = 0; i < dimensions; ++i) bytes *= box[i];
    return bytes;
  }
};
static_assert(sizeof(TensorMap) <= 128);

}  // namespace weft::emulator
