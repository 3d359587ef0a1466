#pragma once

/// @file
/// Where variables and parameters lie.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace weft::emulator::ptx {

/// Addresses of a module's variables, and of one function's own.
struct Layout {
  /// The module's variables in global and constant memory, by name.
  const std::map<std::string, std::uint64_t, std::less<>>* addresses = nullptr;
  /// The module's and the function's variables in shared memory, by name.
  std::map<std::string, std::uint64_t, std::less<>> shared;
  /// The function's own variables, by number: offsets in the space of each, parameters included.
  std::vector<std::uint64_t> own;
  std::uint64_t shared_bytes = 0;  ///< static
  std::uint64_t local_bytes = 0;
  std::uint64_t parameter_bytes = 0;
  std::uint64_t parameter_bank = 0;  ///< where kernels find their parameters in memory
};

/// Lays out the variables of a kernel and of the functions that it may call, which share the block's memory.
/// @param functions the kernel first
/// @param addresses of the module's variables in global and constant memory, and of its functions
/// @return for each function
std::vector<Layout> lay_out(const Module& module, const std::vector<const Function*>& functions,
                            const std::map<std::string, std::uint64_t, std::less<>>& addresses,
                            std::uint64_t parameter_bank);

}  // namespace weft::emulator::ptx
