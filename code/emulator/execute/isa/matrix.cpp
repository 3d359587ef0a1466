/// @file
/// Products of matrices: mma.sync and wmma.mma.
///
/// Integers are exact by PTX's rules; doubles are fused multiply-adds in the order of the depth. For f16,
/// bf16 and tf32 PTX leaves the sum open. Here it is what is published of Hopper's tensor cores: the products
/// are exact; those of one block (16 deep, tf32: 8) and the accumulator are cut towards zero at 25 bits below
/// the largest of their exponents, and added up; the sum is cut to a float, or rounded to the nearest f16.
/// Blocks follow each other. No document of NVIDIA's says so, but what an H200 gave for mma.sync is this to
/// the last bit (tests/emulator/differential). Other cards' sums differ in their last bits.

#include <algorithm>
#include <array>
#include <cmath>

#include "emulator/execute/isa/all.hpp"
#include "emulator/execute/isa/float_rules.hpp"
#include "emulator/execute/isa/small_float.hpp"
#include "emulator/execute/matrix_layout.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

constexpr int most_elements = 32 * 16;  ///< of one operand
constexpr int group = 8;                ///< columns that are computed at once

struct HalfElement {
  using Format = Half;
  static constexpr int per_register = 2;
  static constexpr int block = 16;
  static float value(std::uint32_t bits, int i) {
    return Half::value(static_cast<std::uint16_t>(bits >> (16 * i)));
  }
};

struct BfloatElement {
  using Format = Bfloat;
  static constexpr int per_register = 2;
  static constexpr int block = 16;
  static float value(std::uint32_t bits, int i) {
    return Bfloat::value(static_cast<std::uint16_t>(bits >> (16 * i)));
  }
};

/// The lowest 13 bits do not count.
struct Tensor32Element {
  using Format = Tensor32;
  static constexpr int per_register = 1;
  static constexpr int block = 8;
  static float value(std::uint32_t bits, int /*i*/) { return std::bit_cast<float>(bits & ~0x1fffU); }
};

/// An operand's elements, with the exponents that the hardware aligns by: a subnormal has its format's
/// lowest.
struct Operand {
  std::array<double, most_elements> values{};
  std::array<std::int32_t, most_elements> exponents{};
};

constexpr std::int32_t no_exponent = -5000;  ///< a zero's
constexpr int kept_bits = 25;                ///< below the largest exponent

std::int32_t exponent_of(float value, int lowest) {
  const auto field = static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23 & 0xff);
  return value == 0 ? no_exponent : std::max(field - 127, lowest);
}

template <class Type>
void put(Operand& operand, std::size_t at, std::uint32_t bits, int i) {
  const float value = Type::value(bits, i);
  operand.values[at] = value;
  operand.exponents[at] = exponent_of(value, Type::Format::lowest_exponent);
}

/// Adds one block's products for `group` neighbouring columns.
/// @param a, a_exponents of one row, `depth` of them
/// @param b, b_exponents of one row after the other, `pitch` apart
template <bool to_half>
void add_block(std::array<double, group>& sums, const double* a, const std::int32_t* a_exponents,
               const double* b, const std::int32_t* b_exponents, int depth, int pitch) {
  std::array<std::int32_t, group> largest{};
  std::array<double, group> totals{};
  std::array<double, group> scale{};
  std::array<double, group> unit{};
  std::array<double, group> plain = sums;
  for (int n = 0; n < group; ++n)
    largest[n] = exponent_of(static_cast<float>(sums[n]), Single::lowest_exponent);
  for (int k = 0; k < depth; ++k) {
    for (int n = 0; n < group; ++n) {
      const std::int32_t exponent = a_exponents[k] + b_exponents[k * pitch + n];
      largest[n] = exponent > largest[n] ? exponent : largest[n];
    }
  }
  for (int n = 0; n < group; ++n) {
    const std::int64_t exponent = std::max(largest[n], -400);
    unit[n] = std::bit_cast<double>((exponent - kept_bits + 1023) << 52);
    scale[n] = std::bit_cast<double>((kept_bits - exponent + 1023) << 52);
    totals[n] = std::trunc(sums[n] * scale[n]);
  }
  for (int k = 0; k < depth; ++k) {
    for (int n = 0; n < group; ++n) {
      const double product = a[k] * b[k * pitch + n];
      plain[n] += product;
      totals[n] += std::trunc(product * scale[n]);
    }
  }
  for (int n = 0; n < group; ++n) {
    const bool finite = plain[n] - plain[n] == 0;
    const double sum = finite ? totals[n] * unit[n] : plain[n];
    sums[n] = to_half ? rounded<Half, Rounding::rn>(sum) : rounded<Single, Rounding::rz>(sum);
  }
}

/// A list of slots: D, A, B, C, each with as many registers as the shape says.
struct Slots {
  const std::uint32_t *d, *a, *b, *c;

  Slots(const Operation& operation, const MatrixShape& shape)
      : d(static_cast<const std::uint32_t*>(operation.more)),
        a(d + shape.d),
        b(a + shape.a),
        c(b + shape.b) {}
};

/// Where an element lies in an array of rows.
std::size_t place_of(int row, int pitch, int column) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(pitch) + static_cast<std::size_t>(column);
}

/// Calls `visit(element, register, lane, i)` for each element that an operand's registers hold.
void each_element(auto element, const MatrixShape& shape, int registers, int per_register, auto visit) {
  for (int reg = 0; reg < registers; ++reg) {
    for (int lane = 0; lane < lanes; ++lane) {
      for (int i = 0; i < per_register; ++i) visit(element(shape, per_register, reg, lane, i), reg, lane, i);
    }
  }
}

/// @tparam c_half, d_half whether C and D are of f16, not of f32
template <class Type, bool c_half, bool d_half>
const Operation* multiply_floats(Warp& warp, const Operation& operation) {
  const MatrixShape shape = MatrixShape::unpacked(operation.immediate);
  const Slots slots(operation, shape);
  Operand a;
  Operand b;
  std::array<double, most_elements> c{};
  const auto bits = [&](std::uint32_t slot, int lane) { return warp.values<std::uint32_t>(slot)[lane]; };
  each_element(element_of_a, shape, shape.a, Type::per_register, [&](Element at, int reg, int lane, int i) {
    put<Type>(a, place_of(at.row, shape.depth, at.column), bits(slots.a[reg], lane), i);
  });
  each_element(element_of_b, shape, shape.b, Type::per_register, [&](Element at, int reg, int lane, int i) {
    put<Type>(b, place_of(at.row, shape.columns, at.column), bits(slots.b[reg], lane), i);
  });
  each_element(element_of_c, shape, shape.c, c_half ? 2 : 1, [&](Element at, int reg, int lane, int i) {
    const std::uint32_t word = bits(slots.c[reg], lane);
    c[place_of(at.row, shape.columns, at.column)] =
        c_half ? HalfElement::value(word, i) : std::bit_cast<float>(word);
  });
  const int depth = shape.depth;
  const int columns = shape.columns;
  for (int row = 0; row < int{shape.rows}; ++row) {
    for (int column = 0; column < columns; column += group) {
      std::array<double, group> sums{};
      double* const place = c.data() + place_of(row, columns, column);
      std::copy_n(place, group, sums.begin());
      for (int k = 0; k < depth; k += Type::block) {
        const std::size_t left = place_of(row, depth, k);
        const std::size_t right = place_of(k, columns, column);
        add_block<d_half>(sums, a.values.data() + left, a.exponents.data() + left, b.values.data() + right,
                          b.exponents.data() + right, std::min(Type::block, depth - k), columns);
      }
      std::copy_n(sums.begin(), group, place);
    }
  }
  each_element(element_of_c, shape, shape.d, d_half ? 2 : 1, [&](Element at, int reg, int lane, int i) {
    if (warp.lane_mask[lane] == 0) return;
    const double value = c[place_of(at.row, shape.columns, at.column)];
    std::uint32_t& word = warp.values<std::uint32_t>(slots.d[reg])[lane];
    if constexpr (d_half) {
      const std::uint32_t half = Half::bits_of(value);
      word = i == 0 ? half : (word & 0xffffU) | half << 16;
    } else {
      word = std::bit_cast<std::uint32_t>(canonical(static_cast<float>(value)));
    }
  });
  return &operation + 1;
}

/// Flags: 1 if A's bytes are signed, 2 if B's are, 4 if the sum is clamped.
const Operation* multiply_bytes(Warp& warp, const Operation& operation) {
  constexpr int per_register = 4;
  const MatrixShape shape = MatrixShape::unpacked(operation.immediate);
  const Slots slots(operation, shape);
  std::array<std::int32_t, most_elements> a{};
  std::array<std::int32_t, most_elements> b{};
  const auto byte = [&](std::uint32_t slot, int lane, int i, bool is_signed) {
    const auto bits = static_cast<std::uint8_t>(warp.values<std::uint32_t>(slot)[lane] >> (8 * i));
    return is_signed ? std::int32_t{static_cast<std::int8_t>(bits)} : std::int32_t{bits};
  };
  each_element(element_of_a, shape, shape.a, per_register, [&](Element at, int reg, int lane, int i) {
    a[place_of(at.row, shape.depth, at.column)] = byte(slots.a[reg], lane, i, (shape.flags & 1) != 0);
  });
  each_element(element_of_b, shape, shape.b, per_register, [&](Element at, int reg, int lane, int i) {
    b[place_of(at.column, shape.depth, at.row)] = byte(slots.b[reg], lane, i, (shape.flags & 2) != 0);
  });
  each_element(element_of_c, shape, shape.c, 1, [&](Element at, int reg, int lane, int /*i*/) {
    std::int64_t sum = static_cast<std::int32_t>(warp.values<std::uint32_t>(slots.c[reg])[lane]);
    for (int k = 0; k < int{shape.depth}; ++k) {
      sum += std::int64_t{a[place_of(at.row, shape.depth, k)]} * b[place_of(at.column, shape.depth, k)];
    }
    if ((shape.flags & 4) != 0) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
    if (warp.lane_mask[lane] != 0)
      warp.values<std::uint32_t>(slots.d[reg])[lane] = static_cast<std::uint32_t>(sum);
  });
  return &operation + 1;
}

const Operation* multiply_doubles(Warp& warp, const Operation& operation) {
  const MatrixShape shape = MatrixShape::unpacked(operation.immediate);
  const Slots slots(operation, shape);
  std::array<double, most_elements> a{};
  std::array<double, most_elements> b{};
  each_element(element_of_a, shape, shape.a, 1, [&](Element at, int reg, int lane, int /*i*/) {
    a[place_of(at.row, shape.depth, at.column)] = warp.values<double>(slots.a[reg])[lane];
  });
  each_element(element_of_b, shape, shape.b, 1, [&](Element at, int reg, int lane, int /*i*/) {
    b[place_of(at.column, shape.depth, at.row)] = warp.values<double>(slots.b[reg])[lane];
  });
  each_element(element_of_c, shape, shape.c, 1, [&](Element at, int reg, int lane, int /*i*/) {
    double sum = warp.values<double>(slots.c[reg])[lane];
    for (int k = 0; k < int{shape.depth}; ++k) {
      const double left = a[place_of(at.row, shape.depth, k)];
      const double right = b[place_of(at.column, shape.depth, k)];
      sum = canonical(std::fma(left, right, sum), right, sum, left);  // whose NaN it is was recorded
    }
    if (warp.lane_mask[lane] != 0) warp.values<double>(slots.d[reg])[lane] = sum;
  });
  return &operation + 1;
}

}  // namespace

void add_matrix(Table& table) {
  using ptx::Type;
  // Names: mma.D.A.B.C. The types are those of the registers.
  table.add("mma.f32.f16.f16.f32", "", &multiply_floats<HalfElement, false, false>,
            {Type::f32, Type::b32, Type::b32, Type::f32});
  table.add("mma.f16.f16.f16.f16", "", &multiply_floats<HalfElement, true, true>,
            {Type::b32, Type::b32, Type::b32, Type::b32});
  table.add("mma.f16.f16.f16.f32", "", &multiply_floats<HalfElement, false, true>,
            {Type::b32, Type::b32, Type::b32, Type::f32});
  table.add("mma.f32.f16.f16.f16", "", &multiply_floats<HalfElement, true, false>,
            {Type::f32, Type::b32, Type::b32, Type::b32});
  table.add("mma.f32.bf16.bf16.f32", "", &multiply_floats<BfloatElement, false, false>,
            {Type::f32, Type::b32, Type::b32, Type::f32});
  table.add("mma.f32.tf32.tf32.f32", "", &multiply_floats<Tensor32Element, false, false>,
            {Type::f32, Type::b32, Type::b32, Type::f32});
  for (const char* const types : {"s8.s8", "s8.u8", "u8.s8", "u8.u8"}) {
    table.add({"mma.s32.", types, ".s32"}, &multiply_bytes, {Type::s32, Type::b32, Type::b32, Type::s32});
  }
  table.add("mma.f64.f64.f64.f64", "", &multiply_doubles, {Type::f64, Type::f64, Type::f64, Type::f64});
}

}  // namespace weft::emulator::WEFT_ISA
