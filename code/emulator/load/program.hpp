#pragma once

/// @file
/// A module, loaded: its variables have addresses, its kernels are decoded when they are first wanted.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "binary/cubin.hpp"
#include "emulator/count/access.hpp"
#include "emulator/load/call_graph.hpp"
#include "emulator/operation/routine.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/ptxas/executions.hpp"

namespace weft::emulator {

class Program {
 public:
  /// Parses PTX, and allocates and initializes its variables.
  /// @param machine_code what ptxas made of it, if the program holds that, too
  /// @throws Error if it is no PTX, or if there is no memory
  explicit Program(std::string ptx, std::optional<Cubin> machine_code = std::nullopt);

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() = default;

  /// A kernel in executable form.
  /// @return nullptr if there is no kernel of that name
  /// @throws Error that names the first instruction that is not known
  const Routine* kernel(std::string_view name);

  /// A variable in global or constant memory.
  struct Symbol {
    void* address = nullptr;
    std::uint64_t bytes = 0;
  };
  /// @return no address if there is no variable of that name
  [[nodiscard]] Symbol symbol(std::string_view name) const;

  /// What ptxas made of a kernel: its registers, its memory, its memory instructions.
  /// @return nullptr if that is not known: the program holds no machine code for this device
  [[nodiscard]] const MachineFunction* machine_function(std::string_view name) const {
    return machine_code_ ? machine_code_->find(name) : nullptr;
  }

  [[nodiscard]] const std::vector<Site>& sites() const { return sites_; }
  [[nodiscard]] const ptx::Module& module() const { return module_; }

  /// Where kernels find their parameters in memory: to be filled before each launch.
  [[nodiscard]] std::byte* parameter_bank() const { return parameter_bank_; }

 private:
  void allocate_variables();
  void address_functions();
  [[nodiscard]] bool is_defined(std::string_view name) const;

  /// A kernel and what it may call: functions find the kernel's shared variables.
  struct Loaded {
    std::vector<std::unique_ptr<Routine>> routines;  ///< the kernel first
    Callables callables;
  };
  [[nodiscard]] Executions executions_of(const ptx::Function& function, const ptx::Layout& layout) const;
  [[nodiscard]] std::set<Doubt> doubts_of(const ptx::Function& kernel, const CallGraph& graph) const;
  std::unique_ptr<Loaded> load(const ptx::Function& kernel);

  std::string text_;
  std::optional<Cubin> machine_code_;
  std::optional<MachineLines> machine_lines_;
  ptx::Module module_;
  std::map<std::string, std::uint64_t, std::less<>> addresses_;
  std::byte* parameter_bank_ = nullptr;
  std::vector<Site> sites_;
  struct Unmap {
    std::uint64_t bytes;
    void operator()(void* place) const;
  };
  struct Free {
    void operator()(std::byte* variable) const;
  };
  std::unique_ptr<void, Unmap> function_addresses_;
  std::vector<std::unique_ptr<std::byte, Free>> variables_;
  std::map<std::string, std::unique_ptr<Loaded>, std::less<>> kernels_;
};

/// Most bytes of parameters that a kernel can have.
inline constexpr std::uint64_t parameter_bank_bytes = 32764;

}  // namespace weft::emulator
