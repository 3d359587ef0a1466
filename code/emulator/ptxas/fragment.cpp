#include "emulator/ptxas/fragment.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "emulator/ptx/instruction.hpp"

namespace weft::emulator {
namespace {

constexpr int register_bytes = 4;
constexpr int most_matrices = 4;  // of one LDSM

bool is_factor(std::string_view which) { return which == "a" || which == "b"; }

}  // namespace

MatrixShape shape_named(std::string_view word) {
  MatrixShape shape;
  const char* at = word.data();
  const char* const end = at + word.size();
  for (const auto& [letter, length] :
       {std::pair{'m', &shape.rows}, std::pair{'n', &shape.columns}, std::pair{'k', &shape.depth}}) {
    if (at == end || *at != letter) return {};
    const auto [next, failure] = std::from_chars(at + 1, end, *length);
    if (failure != std::errc{}) return {};
    at = next;
  }
  return at == end ? shape : MatrixShape{};
}

int elements_per_register(std::string_view type) {
  if (type == "f16" || type == "bf16") return 2;
  return type == "s8" || type == "u8" ? 4 : 1;
}

int elements_of(const MatrixShape& shape, std::string_view matrix) {
  if (matrix == "a") return shape.rows * shape.depth;
  if (matrix == "b") return shape.depth * shape.columns;
  return shape.rows * shape.columns;
}

FragmentAccess fragment_access(const ptx::Instruction& instruction, const MatrixShape& shape, int registers) {
  using enum MachineOperation;
  FragmentAccess access;
  const ptx::Space space = space_of(instruction);
  const bool shared = space == ptx::Space::shared;
  if (!shared && space != ptx::Space::global) return access;
  const bool stores = instruction.parts[1] == "store";
  const std::string_view which = instruction.parts[2];
  const std::string_view type = instruction.parts.back();
  const int per_register = elements_per_register(type);
  const bool neighbours = (which == "b") == instruction.has("col");  // a register's elements, in memory
  if (type == "f64" || type == "tf32") return access;
  access.operation = shared ? (stores ? store_shared : load_shared) : (stores ? store_global : load_global);
  access.bytes = register_bytes;
  access.across = per_register == 2 && !neighbours;
  if (is_factor(which)) {
    access.known = per_register == 2 || neighbours;
    access.by_rows = shared && access.known;
  } else {
    constexpr int narrow = 8;  // rows: such products are computed as their transpose
    access.known = shape.rows != narrow;
    access.in_pairs = per_register == 1 && neighbours && access.known;
  }
  if (access.by_rows) {
    const bool tiles = which == "a" && shape.rows > 16;
    access.operation = load_matrix;
    access.bytes = register_bytes * std::min(most_matrices, tiles ? registers * 16 / shape.rows : registers);
  }
  if (access.in_pairs) access.bytes = 2 * register_bytes;
  access.instructions = registers * register_bytes / access.bytes;
  return access;
}

}  // namespace weft::emulator
