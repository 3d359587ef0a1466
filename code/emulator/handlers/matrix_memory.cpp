/// @file
/// Matrices between memory and registers: ldmatrix, stmatrix, movmatrix, and wmma's loads and stores.

#include <algorithm>
#include <array>
#include <cstring>

#include "emulator/execute/block.hpp"
#include "emulator/execute/memory.hpp"
#include "emulator/handlers/handlers.hpp"
#include "emulator/operation/matrix_layout.hpp"

namespace weft::emulator {
namespace {

constexpr std::size_t row_lanes = 8;  ///< that give the addresses of one 8 × 8 matrix's rows

/// The place of element (row, column) of an 8 × 8 matrix, in 16-bit words of lanes: lane and half.
struct Half {
  std::size_t lane, shift;
};
constexpr Half half_at(std::size_t row, std::size_t column) {
  return {row * 4 + column / 2, column % 2 * 16};
}

/// The places of the rows of `count` matrices: lane 8 i + r gives that of row r of the i-th.
std::array<std::byte*, lanes> locate_rows(Warp& warp, const Operation& operation, std::uint32_t slot,
                                          std::size_t count) {
  const std::uint32_t wanted = count == 4 ? all_lanes : (1U << (row_lanes * count)) - 1;
  return locate(warp, operation, addresses_in(warp, operation, slot), wanted);
}

/// Slots 0 to count - 1: one register for each matrix; the next one: the rows' addresses.
template <std::size_t count, bool transposed, bool stores>
const Operation* move_matrices(Warp& warp, const Operation& operation) {
  const auto rows = locate_rows(warp, operation, operation.slots[count], count);
  for (std::size_t matrix = 0; matrix < count; ++matrix) {
    // NOLINTNEXTLINE(misc-const-correctness): it is written where nothing is stored
    auto* const words = warp.values<std::uint32_t>(operation.slots[matrix]);
    for (std::size_t row = 0; row < row_lanes; ++row) {
      std::array<std::uint16_t, 8> line{};
      std::byte* const place = rows[matrix * row_lanes + row];
      if (!stores) std::memcpy(line.data(), place, sizeof line);
      for (std::size_t column = 0; column < 8; ++column) {
        const auto [lane, shift] = transposed ? half_at(column, row) : half_at(row, column);
        if constexpr (stores) {
          line[column] = static_cast<std::uint16_t>(words[lane] >> shift);
        } else if (warp.lane_mask[lane] != 0) {
          words[lane] = (words[lane] & ~(0xffffU << shift)) | std::uint32_t{line[column]} << shift;
        }
      }
      if (stores) std::memcpy(place, line.data(), sizeof line);
    }
  }
  return &operation + 1;
}

/// movmatrix: slot 0 = slot 1, transposed.
const Operation* transpose(Warp& warp, const Operation& operation) {
  std::array<std::uint32_t, lanes> found{};
  const auto* const from = warp.values<std::uint32_t>(operation.slots[1]);
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      const Half there = half_at(row, column);
      const Half here = half_at(column, row);
      found[here.lane] |= (from[there.lane] >> there.shift & 0xffffU) << here.shift;
    }
  }
  auto* const to = warp.values<std::uint32_t>(operation.slots[0]);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (warp.lane_mask[lane] != 0) to[lane] = found[lane];
  }
  return &operation + 1;
}

/// Which matrix of d = a b + c a fragment is of; d has c's form.
enum class Role : std::uint8_t { a, b, c };

template <Role role>
Element element(const MatrixShape& shape, int per_register, int reg, int lane, int i) {
  if constexpr (role == Role::a) return element_of_a(shape, per_register, reg, lane, i);
  if constexpr (role == Role::b) return element_of_b(shape, per_register, reg, lane, i);
  return element_of_c(shape, per_register, reg, lane, i);
}

/// How many registers hold different elements.
template <Role role>
int distinct_registers(const MatrixShape& shape, int per_register) {
  const int elements = role == Role::a   ? shape.rows * shape.depth
                       : role == Role::b ? shape.depth * shape.columns
                                         : shape.rows * shape.columns;
  return elements / (lanes * per_register);
}

/// Where a fragment's elements lie: the list of slots holds the registers, the address, and the stride in
/// elements.
class FragmentPlaces {
 public:
  /// @param shape its `d` says how many registers, its flags how columns lie in memory
  FragmentPlaces(const Warp& warp, const Operation& operation, const MatrixShape& shape)
      : by_columns_((shape.flags & fragment_by_columns) != 0) {
    const auto* const slots = static_cast<const std::uint32_t*>(operation.more);
    const bool wide = site_of(warp, operation).wide;
    for (std::size_t lane = 0; lane < lanes;
         ++lane) {  // kept: a loaded register may share the address's slot
      bases_[lane] = wide ? warp.values<std::uint64_t>(slots[shape.d])[lane]
                          : warp.values<std::uint32_t>(slots[shape.d])[lane];
      strides_[lane] = warp.values<std::uint32_t>(slots[shape.d + 1])[lane];
    }
  }

  [[nodiscard]] std::uint64_t address(Element at, std::size_t lane, std::size_t element_bytes) const {
    const auto major = static_cast<std::uint64_t>(by_columns_ ? at.column : at.row);
    const auto minor = static_cast<std::uint64_t>(by_columns_ ? at.row : at.column);
    return bases_[lane] + (major * strides_[lane] + minor) * element_bytes;
  }

 private:
  bool by_columns_;
  std::array<std::uint64_t, lanes> bases_{};
  std::array<std::uint64_t, lanes> strides_{};
};

constexpr int rows = 8;  ///< of a block
constexpr std::size_t word_bytes = 4;

/// Blocks of 8 rows of 16 bytes, one for each register: `count` registers' at once by their rows, as ldmatrix
/// does, or one register's, 4 bytes by each lane, which may be transposed behind that.
template <Role role, class T, int per_register, bool stores>
void move_blocks(Warp& warp, const Operation& operation, const FragmentPlaces& places_of, int first,
                 int count) {
  const MatrixShape shape = MatrixShape::unpacked(operation.immediate);
  const auto* const slots = static_cast<const std::uint32_t*>(operation.more);
  const bool by_rows = (shape.flags & fragment_by_rows) != 0;
  const bool across = (shape.flags & fragment_across) != 0;
  // Where the row of a block starts in memory.
  const auto row_start = [&](int reg, int row, std::size_t lane) {
    const int holder = across ? row / per_register : row * 4;
    const Element start = element<role>(shape, per_register, reg, holder, across ? row % per_register : 0);
    return places_of.address(start, lane, sizeof(T));
  };
  std::array<std::uint64_t, lanes> addresses{};
  for (int lane = 0; lane < (by_rows ? rows * count : lanes); ++lane) {
    const auto index = static_cast<std::size_t>(lane);
    addresses[index] = by_rows ? row_start(first + lane / rows, lane % rows, index)
                               : row_start(first, lane / 4, index) + index % 4 * word_bytes;
  }
  const std::uint32_t wanted =
      by_rows && count < 4 ? (1U << static_cast<unsigned>(rows * count)) - 1 : all_lanes;
  const auto places = locate(warp, operation, addresses, wanted & warp.active);
  const std::size_t step = across ? sizeof(T) : word_bytes;
  for (int block = 0; block < count; ++block) {
    auto* const values = warp.values<std::uint32_t>(slots[first + block]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (warp.lane_mask[lane] == 0) continue;
      for (std::size_t byte = 0; byte < word_bytes; byte += step) {
        const std::size_t row = across ? lane % 4 * std::size_t{per_register} + byte / sizeof(T) : lane / 4;
        const std::size_t column = across ? lane / 4 * sizeof(T) : lane % 4 * word_bytes;
        std::byte* const place = by_rows ? places[static_cast<std::size_t>(rows * block) + row] + column
                                         : places[row * 4 + column / word_bytes] + column % word_bytes;
        auto* const value = reinterpret_cast<std::byte*>(values + lane) + byte;
        std::memcpy(stores ? place : value, stores ? value : place, step);
      }
    }
  }
}

/// Two registers, whose elements are neighbours in memory.
template <Role role, class T, bool stores>
void move_pair(Warp& warp, const Operation& operation, const FragmentPlaces& places_of, int first) {
  const MatrixShape shape = MatrixShape::unpacked(operation.immediate);
  const auto* const slots = static_cast<const std::uint32_t*>(operation.more);
  std::array<std::uint64_t, lanes> addresses{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Element at = element<role>(shape, 1, first, static_cast<int>(lane), 0);
    addresses[lane] = places_of.address(at, lane, sizeof(T));
  }
  const auto places = locate(warp, operation, addresses, warp.active);
  for (int i = 0; i < 2; ++i) {
    auto* const values = warp.values<T>(slots[first + i]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (warp.lane_mask[lane] == 0) continue;
      std::byte* const place = places[lane] + static_cast<std::size_t>(i) * sizeof(T);
      auto* const value = reinterpret_cast<std::byte*>(values + lane);
      std::memcpy(stores ? place : value, stores ? value : place, sizeof(T));
    }
  }
}

/// One register's elements, each by itself or all of them at once, as the site says.
template <Role role, class T, int per_register, bool stores>
void move_register(Warp& warp, const Operation& operation, const FragmentPlaces& places_of, int reg) {
  const MatrixShape shape = MatrixShape::unpacked(operation.immediate);
  const Site& site = site_of(warp, operation);
  auto* const values = warp.values<SlotBits<T>>(static_cast<const std::uint32_t*>(operation.more)[reg]);
  const int moved = site.bytes / static_cast<int>(sizeof(T));  // elements at once
  for (int i = 0; i < per_register; i += moved) {
    std::array<std::uint64_t, lanes> addresses{};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const Element at = element<role>(shape, per_register, reg, static_cast<int>(lane), i);
      addresses[lane] = places_of.address(at, lane, sizeof(T));
    }
    const auto places = locate(warp, operation, addresses, warp.active);
    const auto bytes = static_cast<std::size_t>(site.bytes);
    const auto offset = static_cast<std::size_t>(i) * sizeof(T);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (warp.lane_mask[lane] == 0) continue;
      auto* const value = reinterpret_cast<std::byte*>(values + lane) + offset;
      std::memcpy(stores ? places[lane] : value, stores ? value : places[lane], bytes);
    }
  }
}

/// A list of slots: the registers, the address, the stride in elements. The immediate is the shape; its `d`
/// says how many registers, its `a` how many matrices are loaded at once by their rows.
template <Role role, class T, int per_register, bool stores>
const Operation* move_fragment(Warp& warp, const Operation& operation) {
  const MatrixShape shape = MatrixShape::unpacked(operation.immediate);
  const auto* const slots = static_cast<const std::uint32_t*>(operation.more);
  const FragmentPlaces places(warp, operation, shape);
  const int distinct = std::min<int>(shape.d, distinct_registers<role>(shape, per_register));
  const int at_once = (shape.flags & fragment_by_rows) != 0 ? shape.a : 1;
  for (int reg = 0; reg < distinct; reg += (shape.flags & fragment_in_pairs) != 0 ? 2 : at_once) {
    if constexpr (per_register > 1) {
      if ((shape.flags & (fragment_by_rows | fragment_across)) != 0) {
        move_blocks<role, T, per_register, stores>(warp, operation, places, reg, at_once);
        continue;
      }
    }
    if constexpr (role == Role::c && sizeof(T) == word_bytes) {
      if ((shape.flags & fragment_in_pairs) != 0) {
        move_pair<role, T, stores>(warp, operation, places, reg);
        continue;
      }
    }
    move_register<role, T, per_register, stores>(warp, operation, places, reg);
  }
  for (int reg = distinct; !stores && reg < int{shape.d}; ++reg) {  // copies
    std::memcpy(warp.values<SlotBits<T>>(slots[reg]), warp.values<SlotBits<T>>(slots[reg % distinct]),
                sizeof(SlotBits<T>) * lanes);
  }
  return &operation + 1;
}

template <std::size_t count>
void add_count(Table& table, const char* suffix) {
  table.add("ldmatrix", suffix, &move_matrices<count, false, false>, {});
  table.add("ldmatrix.trans", suffix, &move_matrices<count, true, false>, {});
  table.add("stmatrix", suffix, &move_matrices<count, false, true>, {});
  table.add("stmatrix.trans", suffix, &move_matrices<count, true, true>, {});
}

/// What a and b may be of.
template <class T, int per_register>
void add_factors(Table& table, const char* suffix, ptx::Type type) {
  table.add("wmma.load.a", suffix, &move_fragment<Role::a, T, per_register, false>, {type});
  table.add("wmma.load.b", suffix, &move_fragment<Role::b, T, per_register, false>, {type});
}

template <class T, int per_register>
void add_sums(Table& table, const char* suffix, ptx::Type type) {
  table.add("wmma.load.c", suffix, &move_fragment<Role::c, T, per_register, false>, {type});
  table.add("wmma.store.d", suffix, &move_fragment<Role::c, T, per_register, true>, {type});
}

}  // namespace

void add_matrix_memory(Table& table) {
  using ptx::Type;
  add_count<1>(table, ".x1");
  add_count<2>(table, ".x2");
  add_count<4>(table, ".x4");
  table.add("movmatrix", "", &transpose, {Type::b32, Type::b32});
  add_factors<std::uint16_t, 2>(table, ".f16", Type::b32);
  add_factors<std::uint16_t, 2>(table, ".bf16", Type::b32);
  add_factors<std::uint32_t, 1>(table, ".tf32", Type::b32);
  add_factors<std::uint8_t, 4>(table, ".s8", Type::b32);
  add_factors<std::uint8_t, 4>(table, ".u8", Type::b32);
  add_factors<std::uint64_t, 1>(table, ".f64", Type::f64);
  add_sums<std::uint16_t, 2>(table, ".f16", Type::b32);
  add_sums<std::uint32_t, 1>(table, ".f32", Type::f32);
  add_sums<std::uint32_t, 1>(table, ".s32", Type::s32);
  add_sums<std::uint64_t, 1>(table, ".f64", Type::f64);
}

}  // namespace weft::emulator
