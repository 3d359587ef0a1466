#pragma once

/// @file
/// Which functions a kernel may call.

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace weft::emulator {

struct CallGraph {
  std::vector<const ptx::Function*> functions;      ///< the kernel first
  std::vector<std::vector<std::uint32_t>> callees;  ///< of each function: indices of those that it names
  bool indirect = false;                            ///< some are called by their address
};

CallGraph call_graph(const ptx::Module& module, const ptx::Function& kernel);

/// The most bytes that the functions which a kernel calls need at a time.
/// @param local_bytes of each function
/// @return nothing if recursion sets no bound
std::optional<std::uint64_t> stack_bytes(const CallGraph& graph,
                                         const std::vector<std::uint64_t>& local_bytes);

}  // namespace weft::emulator
