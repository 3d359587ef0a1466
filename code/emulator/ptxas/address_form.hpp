#pragma once

/// @file
/// Addresses as a compiler sees them: something that it does not know, plus a number.

#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/ptx/layout.hpp"
#include "emulator/ptx/module.hpp"

namespace weft::emulator {

/// What an address starts from.
struct AddressRoot {
  enum class Kind : std::uint8_t { number, reg, variable, symbol };
  Kind kind = Kind::number;
  std::uint32_t index = 0;  ///< of a register or a function's variable
  std::string_view name;    ///< of a module's variable
  bool operator==(const AddressRoot&) const = default;
};

/// root + offset
struct AddressForm {
  AddressRoot root;
  std::int64_t offset = 0;
};

/// The forms of a function's addresses.
class AddressForms {
 public:
  /// @param layout of the function's variables, whose places count where alignment does
  AddressForms(const ptx::Function& function, const ptx::Layout& layout);

  /// @param address an operand in brackets
  [[nodiscard]] AddressForm of(const ptx::Operand& address) const;

  /// What a register that a loop counts up is before the loop, and what is added to it in every turn.
  struct Stride {
    int alignment = 0;  ///< before the loop, as below
    std::int64_t step = 0;
  };
  /// @return a step of 0 for any other root
  [[nodiscard]] Stride stride(const AddressRoot& root) const;

  /// Whether a root is known to be the same in all threads of a block.
  [[nodiscard]] bool is_uniform(const AddressRoot& root) const;

  /// The power of two that a root is known to be a multiple of, as an exponent; 0 if nothing is known.
  [[nodiscard]] int alignment(const AddressRoot& root) const;

 private:
  [[nodiscard]] AddressForm of_value(const ptx::Operand& value, int depth) const;
  [[nodiscard]] bool is_uniform(const ptx::Operand& value, int depth) const;
  [[nodiscard]] int alignment_of(const ptx::Operand& value) const;
  [[nodiscard]] int alignment_of_result(const ptx::Instruction& instruction) const;
  void find_definitions();
  void find_alignments();

  const ptx::Function& function_;
  const ptx::Layout& layout_;
  std::vector<const ptx::Instruction*> definitions_;  ///< of each register; nullptr unless there is just one
  std::vector<int> alignments_;                       ///< of each register
};

}  // namespace weft::emulator
