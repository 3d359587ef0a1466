#pragma once

/// @file
/// What the decoders of all kinds of instructions use: operands become virtual slots, operations become
/// drafts.

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/count/access.hpp"
#include "emulator/operation/table.hpp"
#include "emulator/ptx/layout.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/ptxas/executions.hpp"
#include "emulator/sketch/draft.hpp"

namespace weft::emulator {

/// What decoding a function needs beside the function.
struct Surroundings {
  const Table& table;  ///< of the instructions that are known
  const ptx::Layout& layout;
  const std::map<std::string_view, const Routine*>& callees;  ///< the functions that may be called, by name
  const Executions& executions;  ///< how the machine code carries out the function's memory instructions
  std::vector<Site>& sites;      ///< of the program: those of the function are added
};

/// Builds the sketch of one function.
class Builder {
 public:
  Builder(const ptx::Function& function, const Surroundings& surroundings);

  [[nodiscard]] const ptx::Function& function() const { return function_; }
  [[nodiscard]] const Surroundings& surroundings() const { return surroundings_; }
  [[nodiscard]] const ptx::Layout& layout() const { return surroundings_.layout; }

  /// The instruction that is being decoded, for origins.
  void set_current(std::uint32_t instruction) { current_ = instruction; }
  [[nodiscard]] const ptx::Instruction& current() const { return function_.instructions[current_]; }

  // Slots

  std::uint32_t new_slot(int bytes);
  std::uint32_t new_predicate();
  /// The predicate that holds the carry of add.cc and its like.
  std::uint32_t carry();
  /// The slot of a register.
  std::uint32_t slot_of(const ptx::Operand& reg);
  /// A slot that holds a constant.
  std::uint32_t constant(std::uint64_t bits, int bytes);
  /// A slot that holds a special register; nothing if the name is none of those that stay the same.
  std::optional<std::uint32_t> special(std::string_view name);
  std::uint32_t special(Special special);
  /// A slot that holds a part of the kernel's parameters.
  std::uint32_t parameter(std::uint32_t offset, ptx::Type type, int bytes);

  /// The slot that an instruction reads for an operand of a type, converted to the type's width if need be.
  std::uint32_t read(const ptx::Operand& operand, ptx::Type type);
  /// The slots that the current instruction reads for all its operands, of an entry's types.
  std::vector<std::uint32_t> read_operands(const Entry& entry);
  /// The predicate that guards the current instruction, whether it is negated or not.
  std::uint32_t guard();
  /// A predicate that is read; `!p` costs an operation.
  std::uint32_t read_predicate(const ptx::Operand& operand);
  /// The slot that an instruction writes for an operand of a type. A wider register is filled by finish().
  std::uint32_t write(const ptx::Operand& operand, ptx::Type type);
  /// Converts results whose registers are wider than their type.
  void finish();

  /// The bits of an immediate as a type holds them; nothing if the operand is no immediate.
  [[nodiscard]] std::optional<std::uint64_t> immediate(const ptx::Operand& operand, ptx::Type type) const;
  /// The value of an operand that must be an integer.
  [[nodiscard]] std::uint64_t integer(const ptx::Operand& operand) const;

  /// The only definition of this register is the current instruction, so that it may become another name of a
  /// slot that never changes.
  [[nodiscard]] bool defined_once(const ptx::Operand& reg) const;
  /// Whether any instruction reads this register.
  [[nodiscard]] bool is_read(const ptx::Operand& reg) const;
  void alias(const ptx::Operand& reg, std::uint32_t slot) { registers_[reg.index] = slot; }
  [[nodiscard]] bool is_fixed(std::uint32_t slot) const { return sketch.slots[slot].fixed; }
  [[nodiscard]] int bytes_of(const ptx::Operand& reg) const;

  // Operations

  /// @throws Error if there is no such entry
  [[nodiscard]] const Entry& entry(const std::string& name) const;

  Draft& emit(Handler run, std::vector<std::uint32_t> results, std::vector<std::uint32_t> operands);
  Draft& emit(const std::string& name, std::vector<std::uint32_t> results,
              std::vector<std::uint32_t> operands) {
    return emit(entry(name).run, std::move(results), std::move(operands));
  }

  /// A memory instruction of the current one.
  std::uint32_t add_site(Counting counting, int bytes, bool write, bool wide, ptx::Space space);

  /// Behind the site of a generic address: should it be shared memory's, or local memory's.
  void add_sites_of_generic(Counting shared, int bytes, bool write);
  /// An access to local memory is not counted: if the machine code makes any, that is to be told.
  void doubt_local_memory(std::uint32_t site) const;
  /// The same of one that is not counted, to tell that it was executed.
  std::uint32_t add_doubtful_site(Doubt doubt, ptx::Space space);

  /// What tells that a branch, an instruction's number, has divided a warp.
  std::uint32_t add_division(std::uint32_t branch, Doubt doubt);

  /// How the machine code carries out the current instruction.
  [[nodiscard]] Execution execution() const { return surroundings_.executions.of(current_); }

  /// Whether the current instruction, a branch, may stand before loads that come first in the PTX.
  [[nodiscard]] bool is_early_branch() const {
    return surroundings_.executions.early_branches.contains(current_);
  }
  /// Whether the current instruction, a branch, may leave a loop that the machine code has several copies of.
  [[nodiscard]] bool leaves_unrolled_loop() const {
    return surroundings_.executions.unrolled_exits.contains(current_);
  }

  /// Counts instructions of the machine code that stand before the current one.
  void add_tallies();

  /// A label at an instruction of the function.
  [[nodiscard]] static std::uint32_t label_of(std::uint32_t instruction) { return instruction; }
  std::uint32_t new_label();
  void place(std::uint32_t label) { sketch.labels[label] = static_cast<std::uint32_t>(sketch.drafts.size()); }

  Sketch sketch;
  bool order_matters = false;  ///< as in Routine
  std::vector<std::unique_ptr<CallSite>> call_sites;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> constants;  ///< slot, bits
  std::vector<std::pair<std::uint32_t, Special>> specials;
  std::vector<std::pair<std::uint32_t, ParameterSlot>> parameters;

 private:
  void count_uses();
  std::uint32_t fixed_slot(int bytes);

  const ptx::Function& function_;
  const Surroundings surroundings_;
  std::uint32_t current_ = 0;
  std::map<std::uint32_t, std::uint32_t> registers_;
  std::map<std::pair<std::uint64_t, int>, std::uint32_t> constant_slots_;
  std::map<Special, std::uint32_t> special_slots_;
  std::optional<std::uint32_t> carry_;
  std::map<std::uint32_t, std::uint32_t> guard_sites_;  ///< by instruction: Site::guard_site
  std::vector<int> definitions_, uses_;
  struct Pending {
    std::uint32_t from, to;
    bool is_signed;
  };
  std::vector<Pending> pending_;
};

}  // namespace weft::emulator
