#pragma once

/// @file
/// Registers whose values come from memory that was never written.
///
/// Reading such memory is no mistake yet: kernels load ahead and choose later, and copy structures with gaps
/// between their members. Using what was read is one: storing it for others than the block, branching by it,
/// taking it for an address. What is stored in shared memory, such as a sum over more than there is, counts
/// as never written there. From such a load on, the warp's operations are followed one by one, and its
/// registers byte by byte, until none holds anything that was never written.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/operation/operation.hpp"
#include "emulator/operation/uses.hpp"

namespace weft::emulator {

struct Warp;

class Taint {
 public:
  [[nodiscard]] bool any() const { return !registers_.empty(); }
  void clear() { registers_.clear(); }

  /// A lane has loaded, among its results, what was never written.
  /// @param unwritten tells, of an offset and bytes, whether that part of what it loads is
  template <class Unwritten>
  void add_load(const Warp& warp, const Operation& operation, int lane, std::uint64_t bytes,
                Unwritten unwritten) {
    const Uses& uses = uses_of(warp, operation);
    const std::uint64_t part = bytes / uses.results.size();
    constexpr std::uint64_t word = 4;
    bool gap = false;
    for (std::uint64_t byte = 0; bytes > word && byte < bytes; ++byte) gap = gap || !unwritten(byte, 1);
    for (std::size_t i = 0; i < uses.results.size(); ++i) {
      ByteLanes tainted{};
      for (std::uint64_t byte = 0; byte < tainted.size(); ++byte) {
        const std::uint64_t place = byte < part ? byte : part - 1;  // beyond: the sign
        if (unwritten(i * part + place, 1)) tainted[byte] = 1U << lane;
      }
      add(warp, uses.results[i], tainted, {&operation, gap});
    }
  }

  /// Runs a warp's operations from one on, until no register is tainted or the warp cannot go on for now.
  /// @return where it goes on, or nullptr
  /// @throws Fault if it uses what was never written
  const Operation* follow(Warp& warp, const Operation* operation);

 private:
  static constexpr std::size_t most_bytes = 16;             ///< of a lane's register
  using ByteLanes = std::array<std::uint32_t, most_bytes>;  ///< for each byte, the lanes where it is tainted

  struct Origin {
    const Operation* load = nullptr;
    bool gap = false;  ///< next to what was written, in a wide load: it may be a gap between members
  };
  struct Register {
    const std::byte* begin = nullptr;
    std::uint32_t bytes = 0;
    ByteLanes lanes{};
    Origin origin;

    [[nodiscard]] std::uint32_t any_lanes() const;
  };

  static const Uses& uses_of(const Warp& warp, const Operation& operation);
  void add(const Warp& warp, Uses::Slot slot, const ByteLanes& lanes, Origin origin);
  void remove(const std::byte* begin, std::uint32_t bytes, std::uint32_t lanes);
  [[nodiscard]] const Register* find(const Warp& warp, Uses::Slot slot) const;
  [[nodiscard]] ByteLanes lanes_of(const Warp& warp, Uses::Slot slot) const;
  [[nodiscard]] std::vector<ByteLanes> results_of(const Warp& warp, const Uses& uses) const;
  [[nodiscard]] std::vector<ByteLanes> moved(const Warp& warp, const Uses& uses) const;
  [[nodiscard]] ByteLanes shifted(const Warp& warp, const Uses& uses) const;
  [[nodiscard]] ByteLanes combined(const Warp& warp, const Uses& uses) const;
  [[nodiscard]] ByteLanes chosen(const Warp& warp, const Uses& uses) const;
  void step(Warp& warp, const Operation& operation);
  static bool stays_in_shared(const Warp& warp, const Operation& operation, const Register& stored);
  void spread(const Warp& warp, const Operation& operation) const;
  [[noreturn]] void refuse(const Warp& warp, const Operation& operation, const Register& used) const;

  std::vector<Register> registers_;
  bool following_ = false;
};

}  // namespace weft::emulator
