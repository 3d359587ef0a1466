#pragma once

/// @file
/// What one warp does in one memory instruction, and what global memory makes of it.
///
/// The rules were found by counting, one warp at a time, with Nsight Compute on an NVIDIA H200. Together with
/// those of shared.hpp they gave 1,694 of 1,695 counted cases; 930 of them, among them the one that differs,
/// are held against the rules by the tests (tests/model/data).

#include <concepts>
#include <cstdint>

#include "model/distinct.hpp"
#include "model/refuse.hpp"
#include "model/warp.hpp"

namespace weft::model {

inline constexpr int sector_bytes = 32;  ///< what caches and DRAM move at least
inline constexpr int line_bytes = 128;   ///< what a cache keeps under one tag: four sectors

/// The sector that a byte lies in; a shift rounds down below zero, too.
constexpr std::int64_t sector_of(std::int64_t address) { return address >> 5; }

/// The cache line that a byte lies in.
constexpr std::int64_t line_of(std::int64_t address) { return address >> 7; }

/// The index of the element that a lane accesses, or nothing if the lane takes no part.
class Element {
 public:
  constexpr Element() = default;
  constexpr Element(std::int64_t index)
      : index_(index), some_(true) {}  // NOLINT(google-explicit-constructor)

  constexpr explicit operator bool() const { return some_; }

  /// The lane takes part.
  constexpr std::int64_t operator*() const { return index_; }

 private:
  std::int64_t index_ = 0;
  bool some_ = false;
};

/// The addresses that the 32 lanes of one warp give to one memory instruction.
///
/// Addresses count bytes from a base that is aligned to 256 bytes, as `cudaMalloc` gives it, or from the
/// start of shared memory.
class Lanes {
 public:
  /// Nobody takes part.
  constexpr Lanes() = default;

  /// @param width bytes that each lane accesses: 1, 2, 4, 8 or 16 (a `float4` is 16)
  /// @param element_of_lane from the lane, 0 to 31, to the index of its element, counted in elements of
  ///        `width` bytes; or to Element(), if it takes no part
  /// @throws std::invalid_argument for any other width
  template <std::invocable<int> ElementOfLane>
  constexpr Lanes(int width, ElementOfLane&& element_of_lane) : width_(width) {
    if (width != 1 && width != 2 && width != 4 && width != 8 && width != 16) {
      refuse("a lane accesses 1, 2, 4, 8 or 16 bytes");
    }
    for (int lane = 0; lane < warp_size; ++lane) {
      const Element element = element_of_lane(lane);
      if (!element) continue;
      address_[lane] = *element * width;
      active_ |= 1U << lane;
    }
  }

  /// Bytes that each active lane accesses.
  [[nodiscard]] constexpr int width() const { return width_; }

  [[nodiscard]] constexpr bool active(int lane) const { return (active_ >> lane & 1U) != 0; }

  [[nodiscard]] constexpr bool any_active() const { return active_ != 0; }

  /// The first byte that an active lane accesses.
  [[nodiscard]] constexpr std::int64_t address(int lane) const { return address_[lane]; }

 private:
  int width_ = 4;
  std::uint32_t active_ = 0;  // bit l stands for lane l
  std::int64_t address_[warp_size]{};
};

/// Requests that a warp's instruction sends to the L1 cache: one, unless no lane is active.
constexpr int requests(const Lanes& lanes) { return lanes.any_active() ? 1 : 0; }

// [sectors]
/// Sectors that a warp's global load or store touches, at any width: the different ones of its active lanes.
constexpr int sectors(const Lanes& lanes) {
  Distinct<std::int64_t, warp_size> touched;
  for (int lane = 0; lane < warp_size; ++lane) {
    // An aligned access of at most 16 bytes never crosses a sector's edge.
    if (lanes.active(lane)) touched.insert(sector_of(lanes.address(lane)));
  }
  return touched.size();
}
// [sectors]

/// Cache lines that a warp's global load or store touches: the different ones of its active lanes.
constexpr int lines(const Lanes& lanes) {
  Distinct<std::int64_t, warp_size> touched;
  for (int lane = 0; lane < warp_size; ++lane) {
    if (lanes.active(lane)) touched.insert(line_of(lanes.address(lane)));
  }
  return touched.size();
}

/// Bytes that a warp's lanes want, those that several of them want counted once; the share of them in
/// `sectors(lanes) * sector_bytes`, the bytes that move, is the access's efficiency.
constexpr int wanted_bytes(const Lanes& lanes) {
  Distinct<std::int64_t, warp_size> wanted;
  for (int lane = 0; lane < warp_size; ++lane) {
    // Elements are aligned to their width, so that two of them are the same or apart.
    if (lanes.active(lane)) wanted.insert(lanes.address(lane));
  }
  return wanted.size() * lanes.width();
}

/// Sectors of a warp's copy from global to shared memory past the L1 cache (`cp.async.cg`, 16 bytes per
/// lane), `l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum`: for every two neighbouring lanes, which fill a
/// sector of shared memory, the different lines that they copy from. Counted with neighbours in shared memory
/// alone.
constexpr int bypassing_copy_sectors(const Lanes& lanes) {
  int count = 0;
  for (int lane = 0; lane < warp_size; lane += 2) {
    const bool both = lanes.active(lane) && lanes.active(lane + 1);
    const bool same = both && line_of(lanes.address(lane)) == line_of(lanes.address(lane + 1));
    count += static_cast<int>(lanes.active(lane)) + static_cast<int>(lanes.active(lane + 1) && !same);
  }
  return count;
}

// [reduction-sectors]
/// Sectors of a warp's global reduction (an atomic whose result is not used).
///
/// An address is updated once per pass: the k-th lane with the same address waits for pass k.
/// Sectors are counted in every pass.
constexpr int reduction_sectors(const Lanes& lanes) {
  struct Update {
    int pass = 0;
    std::int64_t sector = 0;
    constexpr bool operator==(const Update&) const = default;
  };
  Distinct<Update, warp_size> touched;
  for (int lane = 0; lane < warp_size; ++lane) {
    if (!lanes.active(lane)) continue;
    int pass = 0;
    for (int earlier = 0; earlier < lane; ++earlier) {
      if (lanes.active(earlier) && lanes.address(earlier) == lanes.address(lane)) ++pass;
    }
    touched.insert({pass, sector_of(lanes.address(lane))});
  }
  return touched.size();
}
// [reduction-sectors]

}  // namespace weft::model
