#pragma once

/// @file
/// What ran, in 128 bits: two measurements with one fingerprint timed the same code, launched in the same
/// way.

#include <string>
#include <vector>

#include "binary/fat_binary.hpp"
#include "binary/launches.hpp"
#include "binary/ptx.hpp"

namespace weft {

/// Computes fingerprints from one program's code.
class Fingerprinter {
 public:
  /// @param code of this program; its PTX for compute_90 or compute_90a counts
  explicit Fingerprinter(const DeviceCode& code);

  /// XXH3's 128 bits, as 32 hexadecimal digits, over the normalized PTX of the kernels launched, with
  /// everything outside of kernels in their modules, and over the launches.
  /// @return the fingerprint; an empty text if there are no launches
  /// @throws std::runtime_error if a kernel that was launched has no PTX here
  [[nodiscard]] std::string of(const std::vector<Launched>& launches) const;

 private:
  std::vector<std::vector<Statement>> modules_;
};

/// The fingerprint of launches that this process made.
std::string fingerprint(const std::vector<Launched>& launches);

}  // namespace weft
