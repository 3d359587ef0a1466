#pragma once

/// @file
/// A ring of links through as much of the device's memory as one likes: what the steps that chase pointers
/// through a working set have in common.

#include "kernel/permutation.hpp"
#include "latency.hpp"

namespace weft {

// [ring]
/// How a ring lies in memory.
struct RingShape {
  std::int64_t links;    ///< each lies in a line of its own, and is the address of the next
  std::int64_t pitch;    ///< bytes from a link to its neighbour in memory
  bool shuffled = true;  ///< whether links follow one another in a random order, or as they lie
};

/// No ring has more: their lines are 256 MiB, several times what the L2 holds.
inline constexpr std::int64_t most_links = std::int64_t{1} << 21;

/// A link every `stride` bytes, but not more than `most_links`, which are spread evenly over all bytes.
RingShape ring_over(std::int64_t bytes, std::int64_t stride = model::line_bytes);
// [ring]

/// The loads of a walker in a launch: first some that warm the caches, then those that are timed.
struct Walk {
  std::int64_t lead;
  std::int64_t timed;

  [[nodiscard]] constexpr std::int64_t steps() const { return lead + timed; }
};

/// Whole rounds, with as many loads as a clock needs. Of a ring whose links are spread, each launch walks
/// another piece.
constexpr Walk whole_rounds(const RingShape& ring) {
  constexpr std::int64_t lead =
      8191;  // more than the L1 has lines; no round, so that each launch ends elsewhere
  constexpr std::int64_t enough = std::int64_t{1} << 15;
  const bool spread = ring.links == most_links && ring.pitch > model::line_bytes;
  return {lead, spread ? enough : (enough + ring.links - 1) / ring.links * ring.links};
}

/// Memory for a ring.
/// @throws OutOfDeviceMemory if there is no room
DeviceMemory memory_for(const RingShape& ring);

/// Threads, each alone in its block, that go round in a ring. Each launch goes on where the one before
/// stopped.
class WalkProblem : public Problem {
 public:
  /// Queues a launch.
  /// @param at where each walker is, and will be
  /// @param cycles takes what each walker's clock says of its timed loads
  using Launch = void (*)(cudaStream_t stream, unsigned walkers, Link* at, Walk walk, std::int64_t* cycles);

  /// @param readings how many numbers a walker writes of its clock
  WalkProblem(const RingShape& shape, DeviceMemory memory, const Walk& walk, Launch launch,
              std::int64_t walkers = 1, std::int64_t readings = 1);

  /// Closes the ring, and spreads the walkers over it.
  void fill(std::uint64_t seed) override;
  void poison(cudaStream_t stream) override { cycles_.poison(stream); }
  void launch(cudaStream_t stream) override;

  /// Whether the walkers are where they should be, and whether the ring is what it was: one round, in which
  /// each link is met once.
  Verdict verify() override;

  /// What the walkers' clocks said in the last launch.
  [[nodiscard]] Numbers cycles() const;

  /// The same for one load, as the mean of all.
  [[nodiscard]] double cycles_of_load() const;

  [[nodiscard]] const Walk& walk() const { return walk_; }

 protected:
  void lie_at(std::byte* begin) { begin_ = begin; }

 private:
  /// Where the link lies that is met as the ring's `number`th, in links from the first.
  [[nodiscard]] std::int64_t place(std::int64_t number) const;

  /// Its address, as the link before it has it.
  [[nodiscard]] Link link_to(std::int64_t number) const;

  /// Where a walker is that has gone so far.
  [[nodiscard]] Link after(std::int64_t walker, std::int64_t steps) const;

  RingShape shape_;
  Permutation permutation_;
  DeviceMemory memory_;
  std::byte* begin_;
  Walk walk_;
  Launch launch_;
  GuardedBuffer<Link> at_;
  GuardedBuffer<std::int64_t> cycles_;
  std::int64_t start_ = 0;   ///< of the first walker
  std::int64_t walked_ = 0;  ///< by each walker in all launches
};

using RingOf = Function<RingShape(std::int64_t bytes)>;
using WalkOf = Walk (*)(const RingShape& ring);

/// Who walks: a multiprocessor, or each of them.
enum class Walkers : std::uint8_t { one, all };

/// A step whose shape is the bytes that a ring spans, and which reports the cycles of a load.
Variant walk_variant(const char* name, const Setting& setting, const RingOf& ring, WalkProblem::Launch launch,
                     WalkOf walk = whole_rounds, Walkers walkers = Walkers::one);

}  // namespace weft
