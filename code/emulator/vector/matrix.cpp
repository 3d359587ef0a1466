/// @file
/// Products of matrices in a warp: mma.sync and wmma.mma.

#include <algorithm>
#include <array>
#include <cmath>

#include "emulator/operation/matrix_layout.hpp"
#include "emulator/vector/all.hpp"
#include "emulator/vector/tensor_core.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

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
  std::array<std::int32_t, most_elements> c{};  // all of it before any of D, which may lie in its slots
  each_element(element_of_c, shape, shape.c, 1, [&](Element at, int reg, int lane, int /*i*/) {
    c[place_of(at.row, shape.columns, at.column)] =
        static_cast<std::int32_t>(warp.values<std::uint32_t>(slots.c[reg])[lane]);
  });
  each_element(element_of_c, shape, shape.d, 1, [&](Element at, int reg, int lane, int /*i*/) {
    const std::int32_t* const left = a.data() + place_of(at.row, shape.depth, 0);
    const std::int32_t* const right = b.data() + place_of(at.column, shape.depth, 0);
    std::int32_t products = 0;  // at most 32 of bytes
    for (int k = 0; k < int{shape.depth}; ++k) products += left[k] * right[k];
    std::int64_t sum = std::int64_t{c[place_of(at.row, shape.columns, at.column)]} + products;
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
  std::array<double, most_elements> c{};
  each_element(element_of_c, shape, shape.c, 1, [&](Element at, int reg, int lane, int /*i*/) {
    c[place_of(at.row, shape.columns, at.column)] = warp.values<double>(slots.c[reg])[lane];
  });
  each_element(element_of_c, shape, shape.d, 1, [&](Element at, int reg, int lane, int /*i*/) {
    double sum = c[place_of(at.row, shape.columns, at.column)];
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
