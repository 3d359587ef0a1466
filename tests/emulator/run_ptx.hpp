#pragma once

/// @file
/// Running pieces of PTX on the emulator.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/execute/launch.hpp"
#include "emulator/load/program.hpp"

namespace weft::emulator {

/// Device memory for a test, filled from and read into a vector.
class Array {
 public:
  explicit Array(const std::vector<std::uint32_t>& words);
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array();

  [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory_); }
  [[nodiscard]] std::vector<std::uint32_t> words() const { return {memory_, memory_ + size_}; }

 private:
  std::uint32_t* memory_;
  std::size_t size_;
};

/// What a test's kernel counted.
struct Counted {
  std::vector<Site> sites;
  std::vector<SiteCount> counts;
};

/// Runs a kernel `test` whose parameters are one pointer each.
/// @param body declarations and instructions; the pointers are in %p0, %p1, …; %t is the thread's number in
/// its block
Counted run_body(const std::string& body, const std::vector<const Array*>& pointers, Extents grid = {},
                 Extents block = {32, 1, 1}, bool cooperative = false, bool checked = true);

/// Applies `instruction`, which computes %d from %a, %b and %c, to 32 lanes; all are 32-bit registers.
std::vector<std::uint32_t> execute(const std::string& instruction, const std::vector<std::uint32_t>& a,
                                   const std::vector<std::uint32_t>& b = {},
                                   const std::vector<std::uint32_t>& c = {});

/// A piece of PTX that puts the address of the thread's own word of %p0 into %o.
inline const std::string own_word = ".reg .b64 %o; mul.wide.u32 %o, %t, 4; add.u64 %o, %o, %p0;\n";

/// A small whole number, of either sign, that depends on where it stands in a matrix.
inline int small_whole(int row, int column, int seed) { return (row * 7 + column * 3 + seed * 5) % 9 - 4; }

/// The words i * factor + start of 32 lanes.
std::vector<std::uint32_t> ramp(std::uint32_t factor = 1, std::uint32_t start = 0);

}  // namespace weft::emulator
