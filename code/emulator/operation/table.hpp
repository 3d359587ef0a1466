#pragma once

/// @file
/// Which handler executes which instruction.

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/operation/operation.hpp"
#include "emulator/ptx/type.hpp"

namespace weft::emulator {

/// How an instruction is executed.
struct Entry {
  Handler run;
  std::vector<ptx::Type> types;  ///< of the result and the operands, in PTX's order
};

/// The instructions that are known, by their name.
///
/// Most names are PTX's own, `add.s32`. Where PTX's modifiers come in many combinations, the decoder composes
/// the name from those that matter: `load.global.u32.2` for `ld.relaxed.gpu.global.v2.u32`.
class Table {
 public:
  /// Adds the instruction `name` + `suffix`. Defined out of line, like all that the vector code of several
  /// instruction sets calls: an inline function of theirs could end up in the code for every processor.
  void add(const char* name, const char* suffix, Handler run, std::initializer_list<ptx::Type> types) {
    add({name, suffix}, run, types);
  }
  void add(std::initializer_list<const char*> parts_of_name, Handler run,
           std::initializer_list<ptx::Type> types);

  /// @return nullptr if there is no such instruction
  [[nodiscard]] const Entry* find(std::string_view name) const;

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace weft::emulator
