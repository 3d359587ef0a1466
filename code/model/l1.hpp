#pragma once

/// @file
/// The law of the L1: what a warp's global load costs that finds its lines there.
///
/// Such a request takes max(2, tag wavefronts, data wavefronts) cycles of its multiprocessor. Both rules were
/// found by counting with Nsight Compute, and the cycles by timing, on an NVIDIA H200; they give what
/// tests/model/data/h200-l1-hits.csv recorded.

#include <bit>
#include <cstdint>

#include "model/access.hpp"
#include "model/shared.hpp"

namespace weft::model {

inline constexpr int tag_banks = 4;  ///< the L1 looks up one line in each of them per wavefront

/// Bits of a line's number that choose its tag bank. What higher ones do is not known.
inline constexpr int tag_bank_bits = 28;

// [tag-bank]
/// The bank in which the L1 looks a line up: two parities of bits 7 to 34 of its virtual address.
constexpr int tag_bank_of(std::int64_t line) {
  constexpr std::uint64_t masks[]{0b0101111'0111101'1110101'0110101, 0b1110101'1101011'0101011'1011010};
  const auto parity = [&](std::uint64_t mask) {
    return std::popcount(static_cast<std::uint64_t>(line) & mask) % 2;
  };
  return 2 * parity(masks[0]) + parity(masks[1]);
}
// [tag-bank]

// [tag-wavefronts]
/// Tag wavefronts of a warp's global load or store, for loads
/// `l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum`: the most different lines in one bank. Unlike
/// sectors they depend on where the lines lie: the base must be aligned to the power of two that all
/// addresses lie below. An allocation of 2 MiB and more is aligned to 2 MiB; a smaller one may start at any
/// 512 bytes.
constexpr int tag_wavefronts(const Lanes& lanes) {
  Distinct<std::int64_t, warp_size> touched;
  for (int lane = 0; lane < warp_size; ++lane) {
    if (lanes.active(lane)) touched.insert(line_of(lanes.address(lane)));
  }
  BankCounts wanted;
  for (const std::int64_t line : touched) wanted.ask(tag_bank_of(line));
  return wanted.most();
}
// [tag-wavefronts]

// [data-wavefronts]
/// Data wavefronts of a warp's global load whose lines are all in the L1, its share of
/// `l1tex__data_pipe_lsu_wavefronts.sum`. The L1 is the array in which shared memory lies, with the same
/// banks; but phases never merge. A store takes at least as many.
constexpr int data_wavefronts(const Lanes& lanes) {
  return phased_wavefronts(lanes, lanes_per_phase(lanes.width()));
}
// [data-wavefronts]

/// The least cycles of a multiprocessor that a warp's global load takes if its lines are all in the L1.
constexpr int l1_cycles(const Lanes& lanes) {
  if (!lanes.any_active()) return 0;
  const int tags = tag_wavefronts(lanes), data = data_wavefronts(lanes);
  const int most = tags > data ? tags : data;
  return most > 2 ? most : 2;
}

}  // namespace weft::model
