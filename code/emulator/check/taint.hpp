#pragma once

/// @file
/// Registers whose values come from memory that was never written.
///
/// Reading such memory is no mistake yet: kernels load ahead and choose later. Using what was read is one:
/// storing it, branching by it, taking it for an address. From such a load on, the warp's operations are
/// followed one by one until no register holds anything that was never written.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/execute/operation.hpp"

namespace weft::emulator {

struct Warp;

/// What an operation does with its operands.
enum class Use : std::uint8_t {
  compute,  ///< the results come from them
  choose,   ///< the result is the first or the second, by the third
  decide,   ///< where to go on, or for which lanes, depends on them
  load,     ///< they are an address
  store,    ///< they go to memory, or are an address
};

/// The slots of an operation, as the checker wants to know them.
struct Uses {
  struct Slot {
    std::uint32_t offset;
    std::uint32_t bytes;  ///< of all lanes
  };
  Use use = Use::compute;
  std::vector<Slot> results, operands;
};

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
    for (std::size_t i = 0; i < uses.results.size(); ++i) {
      if (unwritten(i * part, part)) add(warp, uses.results[i], 1U << lane, operation);
    }
  }

  /// Runs a warp's operations from one on, until no register is tainted or the warp cannot go on for now.
  /// @return where it goes on, or nullptr
  /// @throws Fault if it uses what was never written
  const Operation* follow(Warp& warp, const Operation* operation);

 private:
  struct Register {
    const std::byte* begin;
    std::uint32_t bytes;
    std::uint32_t lanes;
    const Operation* origin;  ///< the load
  };

  static const Uses& uses_of(const Warp& warp, const Operation& operation);
  void add(const Warp& warp, Uses::Slot slot, std::uint32_t lanes, const Operation& origin);
  void remove(const std::byte* begin, std::uint32_t bytes, std::uint32_t lanes);
  [[nodiscard]] const Register* find(const Warp& warp, Uses::Slot slot) const;
  void step(Warp& warp, const Operation& operation);
  [[noreturn]] void refuse(const Warp& warp, const Operation& operation, const Register& used) const;

  std::vector<Register> registers_;
  bool following_ = false;
};

}  // namespace weft::emulator
