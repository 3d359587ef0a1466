#pragma once

/// @file
/// How ptxas carries out the memory instructions of a PTX function.
///
/// The machine code need not do what the PTX says: neighbouring loads and stores of shared memory are joined
/// into wider ones, loads whose results nobody wants disappear, the lanes' additions to one address become
/// one lane's. The cubin tells, instruction by instruction, if the program was built with -lineinfo;
/// otherwise what ptxas is known to do is held against what it did in total.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "binary/cubin.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/ptxas/accesses.hpp"

namespace weft::emulator {

/// How the machine code carries out a memory instruction of the PTX.
struct Execution {
  enum class Kind : std::uint8_t {
    itself,     ///< as one instruction, perhaps a wider one
    elsewhere,  ///< by another instruction's, or not at all
    one_lane,   ///< an atomic: the warp's lanes are added up before, and one of them does it
    increment,  ///< an atomic: the lanes at an address are counted, and their number is added
    swap_loop,  ///< an atomic: a loop of a load and a compare-and-swap, until all lanes have had their turn
  };
  Kind kind = Kind::itself;
  std::int8_t bytes = 0;   ///< per lane; 0: as in the PTX
  std::int8_t offset = 0;  ///< of the machine's address from the PTX's, in bytes
  /// Several turns of a loop are one access: the turn whose address is a multiple of `bytes`.
  bool once_per_width = false;
  /// Nsight Compute counts the instruction where its warp comes to its guard: a tally does that.
  bool tallied = false;
  bool gives_back = false;    ///< an atomic whose result nobody uses, and which is not made a reduction
  bool found_shared = false;  ///< a generic address that ptxas knows to be shared memory's
  int copies = 1;             ///< of the instruction, as far as is known
  bool exact = true;          ///< the machine code has been seen to do so
  bool scheduled = false;     ///< how often and where, the order in which warps run decides
};

/// Instructions that a warp executes, perhaps without any lane: they are counted as executed, and access
/// nothing.
struct Tally {
  MachineOperation operation{};
  int count = 0;                  ///< each time that the warp comes here
  std::uint32_t instruction = 0;  ///< of the PTX that they come from
  bool unsure = false;            ///< if they are not there, the PTX's instruction counts where it has lanes
};

/// What the machine code makes of a function.
struct Executions {
  std::map<std::uint32_t, Execution> by_instruction;  ///< index in the function; memory instructions alone
  std::multimap<std::uint32_t, Tally> tallies;        ///< by the instruction before which they are counted
  bool exact = false;                                 ///< all of them are, and the machine code has no others
  std::set<std::uint32_t> early_branches;             ///< that stand before loads which the PTX does first
  std::set<std::uint32_t> unrolled_exits;  ///< branches out of loops of which there are several copies
  bool has_local = true;                   ///< the machine code accesses local memory

  /// As the PTX says, if nothing is known of an instruction.
  [[nodiscard]] Execution of(std::uint32_t instruction) const;
};

/// Memory instructions of a whole module's machine code, by the line of the PTX that they come from.
class MachineLines {
 public:
  explicit MachineLines(const Cubin& cubin);

  /// The instructions that come from a line, but for those that no lane ever executes.
  [[nodiscard]] std::vector<MachineInstruction> at(std::uint32_t line) const;
  /// How many loads of shared memory, done by no lane ever, come from a line: ptxas puts them before
  /// cp.async.
  [[nodiscard]] int idle_at(std::uint32_t line) const {
    const auto found = idle_.find(line);
    return found == idle_.end() ? 0 : found->second;
  }
  [[nodiscard]] bool empty() const { return by_line_.empty(); }
  /// Whether the first instruction from one line stands behind the first guarded branch from another.
  [[nodiscard]] bool is_behind_branch(std::uint32_t line, std::uint32_t branch_line) const {
    const auto at = first_access_.find(line);
    const auto branch = first_branch_.find(branch_line);
    return at != first_access_.end() && branch != first_branch_.end() && at->second > branch->second;
  }

  /// Calls `visit(line, instruction)` for each instruction from these lines.
  void each_between(std::uint32_t first, std::uint32_t last, auto visit) const {
    for (auto at = by_line_.lower_bound(first); at != by_line_.end() && at->first <= last; ++at)
      visit(at->first, at->second);
  }

 private:
  std::multimap<std::uint32_t, MachineInstruction> by_line_;
  std::map<std::uint32_t, int> idle_;
  std::map<std::uint32_t, std::uint64_t> first_access_, first_branch_;  ///< by line: the lowest address
};

/// What the machine code makes of a function, as its lines tell.
/// @param layout of the function's variables
Executions match_lines(const ptx::Function& function, const ptx::Layout& layout, const MachineLines& lines);

/// What the machine code makes of a function, as prediction.hpp has it; exact if the machine code holds in
/// total what that says.
Executions match_totals(const ptx::Function& function, const ptx::Layout& layout,
                        const MachineFunction& machine);

}  // namespace weft::emulator
