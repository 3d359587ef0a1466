#include "binary/machine_instruction.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace weft {
namespace {

/// What bits 73 to 75 stand for.
enum class Widths : std::uint8_t { access, integer_atomic, other_atomic, matrices, none };

struct Opcode {
  std::uint16_t number;  ///< the low 12 bits
  MachineOperation operation;
  Widths widths;
};

using enum MachineOperation;

/// An opcode has several numbers: the upper three bits tell where its operands come from.
constexpr std::array opcodes{
    Opcode{0x381, load_global, Widths::access},
    Opcode{0x981, load_global, Widths::access},
    Opcode{0x386, store_global, Widths::access},
    Opcode{0x986, store_global, Widths::access},
    Opcode{0x3a8, atomic_global, Widths::integer_atomic},
    Opcode{0x9a8, atomic_global, Widths::integer_atomic},
    Opcode{0x3a9, atomic_global, Widths::integer_atomic},
    Opcode{0x9a9, atomic_global, Widths::integer_atomic},
    Opcode{0x3a3, atomic_global, Widths::other_atomic},
    Opcode{0x9a3, atomic_global, Widths::other_atomic},
    Opcode{0x38e, reduce_global, Widths::integer_atomic},
    Opcode{0x98e, reduce_global, Widths::integer_atomic},
    Opcode{0x3a6, reduce_global, Widths::other_atomic},
    Opcode{0x9a6, reduce_global, Widths::other_atomic},
    Opcode{0x384, load_shared, Widths::access},
    Opcode{0x984, load_shared, Widths::access},
    Opcode{0x388, store_shared, Widths::access},
    Opcode{0x988, store_shared, Widths::access},
    Opcode{0x38c, atomic_shared, Widths::integer_atomic},
    Opcode{0x98c, atomic_shared, Widths::integer_atomic},
    Opcode{0xf8c, increment_shared, Widths::integer_atomic},
    Opcode{0x38d, compare_and_swap_shared, Widths::integer_atomic},
    Opcode{0x98d, compare_and_swap_shared, Widths::integer_atomic},
    Opcode{0x383, load_local, Widths::access},
    Opcode{0x983, load_local, Widths::access},
    Opcode{0x387, store_local, Widths::access},
    Opcode{0x987, store_local, Widths::access},
    Opcode{0x380, load_generic, Widths::access},
    Opcode{0x980, load_generic, Widths::access},
    Opcode{0x385, store_generic, Widths::access},
    Opcode{0x985, store_generic, Widths::access},
    Opcode{0x38a, atomic_generic, Widths::integer_atomic},
    Opcode{0x98a, atomic_generic, Widths::integer_atomic},
    Opcode{0x38b, atomic_generic, Widths::integer_atomic},
    Opcode{0x98b, atomic_generic, Widths::integer_atomic},
    Opcode{0x9a2, atomic_generic, Widths::other_atomic},
    Opcode{0xfae, copy_global_to_shared, Widths::access},
    Opcode{0x9ae, copy_global_to_shared, Widths::access},
    Opcode{0x83b, load_matrix, Widths::matrices},
    Opcode{0x844, store_matrix, Widths::matrices},
    Opcode{0x309, count_lanes, Widths::none},
    Opcode{0xd09, count_lanes, Widths::none},
    Opcode{0x3c4, count_lanes, Widths::none},
    Opcode{0x886, count_lanes, Widths::none},
    Opcode{0x947, branch, Widths::none},
    Opcode{0x94d, branch, Widths::none},
};

int bytes_of(Widths widths, std::uint64_t high) {
  constexpr std::array accesses{1, 1, 2, 2, 4, 8, 16, 16};
  constexpr std::array atomics{4, 4, 8, 8};
  constexpr std::array matrices{4, 8, 16, 0};
  const auto code = static_cast<std::size_t>(high >> 9 & 7);
  switch (widths) {
    case Widths::access:
      return accesses[code];
    case Widths::integer_atomic:
      return code < atomics.size() ? atomics[code] : 0;
    case Widths::matrices:
      return matrices[high >> 8 & 3];
    default:
      return 0;
  }
}

}  // namespace

std::optional<MachineInstruction> decode_machine(
    std::span<const std::byte, machine_instruction_bytes> bytes) {
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), bytes.data(), sizeof words);
  const auto found = std::ranges::find(opcodes, words[0] & 0xfff, &Opcode::number);
  if (found == opcodes.end()) return std::nullopt;
  const std::uint64_t guard = words[0] >> 12 & 0xf;
  constexpr std::uint64_t always = 0x7;  // the predicate that is true
  constexpr std::uint64_t never = 0xf;   // its opposite
  return MachineInstruction{found->operation, bytes_of(found->widths, words[1]), guard != always,
                            guard == never};
}

}  // namespace weft
