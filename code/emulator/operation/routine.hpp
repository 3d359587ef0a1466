#pragma once

/// @file
/// A kernel or a device function in executable form.

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/doubt.hpp"
#include "emulator/operation/operation.hpp"
#include "emulator/operation/uses.hpp"
#include "emulator/ptx/module.hpp"

namespace weft::emulator {

/// Registers that tell a thread where it is.
// clang-format off
enum class Special : std::uint8_t {
  tid_x, tid_y, tid_z,
  ntid_x, ntid_y, ntid_z,
  ctaid_x, ctaid_y, ctaid_z,
  nctaid_x, nctaid_y, nctaid_z,
  laneid, warpid, nwarpid,
  lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
  smid, nsmid, gridid,
  workspace_high, workspace_low,
  reserved_shared_0, reserved_shared_1, reserved_shared_end,
  dynamic_shared, total_shared,
  clusterid_x, clusterid_y, clusterid_z,
  nclusterid_x, nclusterid_y, nclusterid_z,
  cluster_ctaid_x, cluster_ctaid_y, cluster_ctaid_z,
  cluster_nctaid_x, cluster_nctaid_y, cluster_nctaid_z,
  cluster_ctarank, cluster_nctarank,
  zero,
};
// clang-format on

/// Whether it differs between the blocks of a grid.
constexpr bool changes_with_block(Special special) {
  return (special >= Special::ctaid_x && special <= Special::ctaid_z) ||
         (special >= Special::clusterid_x && special <= Special::cluster_ctarank);
}

/// A slot that holds the same value in every lane, from the start on.
struct Constant {
  std::uint32_t slot;
  int bytes;  ///< 4 or 8
  std::uint64_t bits;
};

/// A slot that holds a special register from the start on.
struct SpecialSlot {
  std::uint32_t slot;
  Special special;
};

/// A slot that holds a kernel's parameter, or a part of it, from the start on.
struct ParameterSlot {
  std::uint32_t slot;
  int slot_bytes;        ///< 4 or 8
  std::uint32_t offset;  ///< in the parameters
  ptx::Type type;
};

/// Where one of a kernel's parameters lies among them.
struct ParameterPlace {
  std::uint32_t offset, bytes;
};

/// Where an operation comes from.
struct Origin {
  std::string_view opcode;
  int line;  ///< in the PTX
  ptx::Position position;
};

struct Routine;

/// A call as an instruction makes it.
struct CallSite {
  const Routine* callee = nullptr;       ///< nullptr if it is a function of CUDA's, or only known when called
  std::vector<std::uint32_t> arguments;  ///< where they lie in the caller's local memory
  std::vector<std::uint32_t> results;
};

/// The functions that a kernel may call by their address.
struct Callables {
  static constexpr std::uint64_t spacing = 16;  ///< from one function's address to the next

  std::uint64_t start = 0;
  std::vector<const Routine*> by_number;  ///< nullptr where there is none to be called

  [[nodiscard]] const Routine* at(std::uint64_t address) const {
    const std::uint64_t number = (address - start) / spacing;
    return address >= start && address % spacing == 0 && number < by_number.size() ? by_number[number]
                                                                                   : nullptr;
  }
};

struct Routine {
  std::string name;                    ///< mangled
  std::vector<Operation> preparation;  ///< of a kernel: what all blocks have in common
  std::vector<Operation> code;
  std::vector<Origin> origins;                                     ///< one per operation
  std::vector<Uses> uses;                                          ///< likewise, if the checker may want them
  std::vector<std::uint32_t> stands_for;                           ///< likewise: instructions of PTX
  std::vector<std::unique_ptr<std::vector<std::uint32_t>>> lists;  ///< what Operation::more points to
  std::vector<std::unique_ptr<CallSite>> call_sites;               ///< likewise
  std::vector<Constant> constants;
  std::vector<SpecialSlot> specials;
  std::vector<ParameterSlot> parameters;
  std::vector<ParameterPlace> parameter_places;  ///< in order: a kernel's among its parameters, else local
  std::vector<ParameterPlace> result_places;     ///< of a function, in its local memory
  std::uint32_t frame_bytes = 0;                 ///< of a warp's registers
  std::uint32_t local_bytes = 0;                 ///< of a thread's local memory, without what it calls
  std::uint32_t stack_bytes = 0;                 ///< of a kernel: local memory for the functions it calls
  std::uint32_t shared_bytes = 0;                ///< static
  std::uint32_t parameter_bytes = 0;
  std::array<std::uint32_t, 3> cluster{};  ///< that the kernel asks for; 0 if it does not
  bool reserves_shared = false;            ///< it uses shared memory that CUDA reserves for itself
  bool order_matters = false;  ///< of blocks: they can see what others do, or the sum of floats depends on it
  std::set<Doubt> doubts;      ///< of all its counts; of a kernel, those of all that it may call, too
  int most_threads = 0;        ///< of a block; 0 if the kernel does not say
  const Callables* callables = nullptr;
  const ptx::Module* decoded_from = nullptr;

  [[nodiscard]] const Origin& origin(const Operation& operation) const {
    return origins[static_cast<std::size_t>(&operation - code.data())];
  }

  [[nodiscard]] std::string file_of(const ptx::Position& position) const {
    const auto found = decoded_from->files.find(position.file);
    return found == decoded_from->files.end() ? "?" : found->second;
  }
};

}  // namespace weft::emulator
