#pragma once

/// @file
/// What a check reports when it fails.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "model/list.hpp"

namespace weft {

/// The first thing found wrong in a buffer.
struct Mismatch {
  std::string where;     ///< the buffer's name in the problem's terms: "output", "input"
  Numbers index;         ///< of the first bad element; row, column for a matrix
  std::string expected;  ///< as text, floating-point values with their bits
  std::string got;       ///< likewise
  std::string hint;      ///< what the wrong value tells: never written, stale, …; may be empty

  /// One line: `output[3, 7]: expected 1.5 (0x3fc00000), got …: never written`.
  [[nodiscard]] std::string describe() const;
};

/// What a check comes to: nothing, or the first mismatch.
struct Verdict : std::optional<Mismatch> {
  using std::optional<Mismatch>::optional;
  Verdict(std::optional<Mismatch> first)  // NOLINT(google-explicit-constructor)
      : std::optional<Mismatch>(std::move(first)) {}
};

}  // namespace weft
