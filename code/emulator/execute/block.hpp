#pragma once

/// @file
/// A block while it runs: its warps take turns on one core, each from one barrier to the next.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/execute/cluster.hpp"
#include "emulator/execute/warp.hpp"
#include "emulator/memory/shared_history.hpp"
#include "emulator/operation/routine.hpp"

namespace weft::emulator {

/// Backward branches after which a warp lets others run: it may be waiting for them.
inline constexpr int backward_branches_per_turn = 4096;

struct Extents {
  std::uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Extents&) const = default;
};

/// What all blocks of a launch have in common.
struct Grid {
  const Routine* kernel = nullptr;
  Extents blocks, threads, cluster;
  std::uint32_t dynamic_shared = 0;  ///< bytes per block
  std::span<const std::byte> parameters;
  std::uint64_t number = 0;                  ///< of the launch
  const std::vector<Site>* sites = nullptr;  ///< of the program
  bool count_instructions = false;
  std::uint64_t workspace = 0;    ///< address of what cooperative groups synchronize a grid with
  std::string* output = nullptr;  ///< where printf writes to
  std::uint32_t piece_bytes = 4;  ///< of shared memory that the checker tells apart
  bool checked = false;
};

/// One of a block's 16 barriers.
struct Barrier {
  std::uint32_t arrived = 0;   ///< threads
  std::uint32_t expected = 0;  ///< threads, if the instruction says how many; 0: all that live
  std::uint32_t votes = 0;     ///< threads whose predicate was true
  std::uint32_t result = 0;    ///< votes when it opened last
  std::uint32_t voters = 0;    ///< threads that arrived when it opened last
};

struct Block {
  Block(const Grid& grid, Access* accesses, std::vector<const Operation*>& open_joins);

  /// Makes this the block with a number in its grid, x fastest; all memory of the block before is gone.
  void start(std::uint64_t number);

  enum class Outcome : std::uint8_t { finished, waiting };

  /// Runs the block's warps in turns.
  /// @param rounds without progress until `waiting` is returned: for another block, perhaps
  /// @throws Error if no warp can ever go on
  Outcome run(int rounds);

  /// Counts threads of a warp in at a barrier; opens it when all are there.
  /// @param expected threads; 0: all that live
  void arrive(const Warp& warp, std::uint32_t barrier, std::uint32_t threads, std::uint32_t expected,
              std::uint32_t votes);

  /// Opens joins for the fragments that spin, or, if `parked`, for those that wait for their own warp.
  /// @return whether there were any
  bool open_all_joins(bool parked);

  /// Opens barriers that waited for these alone.
  void lanes_exited(std::uint32_t mask);

  const Grid* grid;
  Cluster* cluster = nullptr;  ///< that it belongs to
  Cluster alone;               ///< for a block that belongs to no other
  Extents index;
  std::uint64_t number = 0;
  std::uint32_t live_threads = 0;
  std::array<Barrier, 16> barriers{};
  std::uint32_t waited_barriers = 0;  ///< one bit for each at which threads have arrived
  std::vector<Warp> warps;
  std::uint64_t progress = 0;  ///< grows with whatever somebody may have waited for
  std::uint64_t clock = 0;     ///< `%clock`: time only passes for those who look at it
  std::vector<const Operation*>* open_joins = nullptr;  ///< the worker's: joins at which nobody waits
  std::uint64_t thread_instructions = 0;  ///< of all blocks that it has been, if they are counted

  struct Free {
    void operator()(std::byte* memory) const;
  };
  using Memory = std::unique_ptr<std::byte[], Free>;
  Memory registers, shared, local;
  std::uint64_t shared_bytes = 0;
  std::uint64_t local_bytes = 0;           ///< per thread
  std::unique_ptr<SharedHistory> history;  ///< of the shared memory, if it is checked

 private:
  const Operation* run_counted(Warp& warp, const Operation& operation);
  void open(std::uint32_t barrier);
};

/// The memory instruction that an operation carries out.
inline const Site& site_of(const Warp& warp, const Operation& operation) {
  return (*warp.block->grid->sites)[operation.site];
}

/// Sets the slots of a frame that hold constants and the special registers.
void fill_frame(const Block& block, const Warp& warp, const Routine& routine, std::byte* frame);

}  // namespace weft::emulator
