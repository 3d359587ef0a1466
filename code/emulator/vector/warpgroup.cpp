/// @file
/// Products of matrices by four warps at once: wgmma. It is asynchronous on the GPU; here it is done at once,
/// which is one of the orders that a program must allow for.

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "emulator/execute/fault.hpp"
#include "emulator/operation/matrix_layout.hpp"
#include "emulator/operation/warpgroup_product.hpp"
#include "emulator/vector/all.hpp"
#include "emulator/vector/tensor_core.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

constexpr int warp_rows = 16;
constexpr int registers_of_a = 4;

/// The 32 bits that hold elements of a row in shared memory.
std::uint32_t read_shared(const Warp& warp, const Operation& operation, std::uint64_t address) {
  std::uint32_t word = 0;
  if (address + sizeof word > warp.shared_bytes)
    throw fault(warp, operation, 0, "multiplies what lies behind the end of its block's shared memory",
                Fault::Kind::illegal_address);
  std::memcpy(&word, warp.shared + address, sizeof word);
  return word;
}

/// Elements of rows of A or columns of B, as `operand.values[row * depth + k]`, or with the depth outside.
template <class Type>
void read_operand(const Warp& warp, const Operation& operation, std::uint64_t descriptor, int first_row,
                  int rows, int depth, bool negative, auto place_of, Operand& operand) {
  const MatrixDescriptor from(descriptor);
  constexpr int bytes = 4 / Type::per_register;
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < depth; k += Type::per_register) {
      const std::uint32_t word =
          read_shared(warp, operation,
                      from.address(static_cast<std::uint64_t>(first_row) + static_cast<std::uint64_t>(row),
                                   static_cast<std::uint64_t>(k) * bytes));
      for (int i = 0; i < Type::per_register; ++i) {
        const std::size_t at = place_of(row, k + i);
        put<Type>(operand, at, word, i);
        if (negative) operand.values[at] = -operand.values[at];
      }
    }
  }
}

/// A list of slots: D, one register for each two columns; the same again, as what is read; A, registers or a
/// descriptor; B's descriptor; the predicate that says whether D is added to.
template <class Type>
const Operation* multiply(Warp& warp, const Operation& operation) {
  const WarpgroupProduct product = WarpgroupProduct::unpacked(operation.immediate);
  const int depth = product.depth;
  const int d_registers = product.columns / 2;
  const auto* const d = static_cast<const std::uint32_t*>(operation.more);
  const std::uint32_t* const a_slots = d + std::ptrdiff_t{2} * d_registers;
  const std::uint32_t* const after_a = a_slots + (product.a_in_registers ? registers_of_a : 1);
  const std::uint64_t b_descriptor = warp.values<std::uint64_t>(after_a[0])[0];
  const bool adds = (warp.predicate(after_a[1]) & 1U) != 0;
  const auto along = [depth](int row, int k) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(depth) + static_cast<std::size_t>(k);
  };

  Operand a;
  if (product.a_in_registers) {
    const MatrixShape shape{.rows = warp_rows, .columns = 8, .depth = product.depth};
    for (int reg = 0; reg < registers_of_a; ++reg) {
      const auto* const words = warp.values<std::uint32_t>(a_slots[reg]);
      for (int lane = 0; lane < lanes; ++lane) {
        for (int i = 0; i < Type::per_register; ++i) {
          const Element at = element_of_a(shape, Type::per_register, reg, lane, i);
          put<Type>(a, along(at.row, at.column), words[lane], i);
          if (product.negative_a) a.values[along(at.row, at.column)] *= -1;
        }
      }
    }
  } else {
    read_operand<Type>(warp, operation, warp.values<std::uint64_t>(a_slots[0])[0], warp.index % 4 * warp_rows,
                       warp_rows, depth, product.negative_a, along, a);
  }

  Operand b;
  const auto b_place = [](int n, int k) {
    return static_cast<std::size_t>(k) * group + static_cast<std::size_t>(n);
  };
  for (int column = 0; column < int{product.columns}; column += group) {
    read_operand<Type>(warp, operation, b_descriptor, column, group, depth, product.negative_b, b_place, b);
    // Registers 4 i to 4 i + 3 hold columns 8 i to 8 i + 7: two neighbours of a row, two of the row 8 below.
    const std::array<float*, 4> registers{
        warp.values<float>(d[column / 2]), warp.values<float>(d[column / 2 + 1]),
        warp.values<float>(d[column / 2 + 2]), warp.values<float>(d[column / 2 + 3])};
    const auto sum_at = [&](int row, int n) -> float& {
      return registers[row / 8 * 2 + n % 2][row % 8 * 4 + n / 2];
    };
    for (int row = 0; row < warp_rows; ++row) {
      std::array<double, group> sums{};
      for (int n = 0; adds && n < group; ++n) sums[static_cast<std::size_t>(n)] = sum_at(row, n);
      for (int k = 0; k < depth; k += Type::block) {
        add_block<false>(sums, a.values.data() + along(row, k), a.exponents.data() + along(row, k),
                         b.values.data() + b_place(0, k), b.exponents.data() + b_place(0, k),
                         std::min(Type::block, depth - k), group);
      }
      for (int n = 0; n < group; ++n)
        sum_at(row, n) = canonical(static_cast<float>(sums[static_cast<std::size_t>(n)]));
    }
  }
  return &operation + 1;
}

}  // namespace

void add_warpgroup(Table& table) {
  using ptx::Type;
  // Names: wgmma.D.A.B. The types are those of D and of A's registers.
  table.add("wgmma.f32.f16.f16", "", &multiply<HalfElement>, {Type::f32, Type::b32});
  table.add("wgmma.f32.bf16.bf16", "", &multiply<BfloatElement>, {Type::f32, Type::b32});
  table.add("wgmma.f32.tf32.tf32", "", &multiply<Tensor32Element>, {Type::f32, Type::b32});
}

}  // namespace weft::emulator::WEFT_ISA
