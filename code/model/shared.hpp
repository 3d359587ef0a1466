#pragma once

/// @file
/// Wavefronts of shared memory: how many times its 32 banks must be asked for one instruction of one warp.
///
/// Shared memory has 32 banks of 4-byte words. Word w lies in bank w mod 32, and a bank gives one word per
/// wavefront, to every lane that wants it. The rules for 4, 8 and 16 bytes were found by counting with Nsight
/// Compute on an NVIDIA H200; they give every shared access recorded in tests/model/data. Narrower accesses,
/// of which none was recorded, follow from the words that they lie in.

#include <cstdint>

#include "model/access.hpp"
#include "model/refuse.hpp"

namespace weft::model {

inline constexpr int banks = 32;      ///< banks of shared memory
inline constexpr int word_bytes = 4;  ///< what a bank gives per wavefront

/// The word that a byte lies in; a shift rounds down below zero, too.
constexpr std::int64_t word_of(std::int64_t address) { return address >> 2; }

/// How often each bank is asked.
class BankCounts {
 public:
  constexpr void ask(int bank) {
    const int asked = ++asked_[bank];
    if (asked > most_) most_ = asked;
  }

  /// What the bank is asked that is asked most.
  [[nodiscard]] constexpr int most() const { return most_; }

 private:
  int asked_[banks]{};
  int most_ = 0;
};

/// The bank that a word lies in.
constexpr int bank_of(std::int64_t word) { return static_cast<int>(word & (banks - 1)); }

// [phase]
/// Wavefronts for the lanes [first, first + count) alone: the most different words wanted from one bank.
constexpr int phase_wavefronts(const Lanes& lanes, int first, int count) {
  Distinct<std::int64_t, warp_size * 4> words;
  for (int lane = first; lane < first + count; ++lane) {
    if (!lanes.active(lane)) continue;
    for (int byte = 0; byte < lanes.width(); byte += word_bytes) {
      words.insert(word_of(lanes.address(lane) + byte));
    }
  }
  BankCounts wanted;
  for (const std::int64_t word : words) wanted.ask(bank_of(word));
  return wanted.most();
}
// [phase]

/// Wavefronts for a warp that is served in phases of `count` lanes, one after the other.
constexpr int phased_wavefronts(const Lanes& lanes, int count) {
  int wavefronts = 0;
  for (int first = 0; first < warp_size; first += count) wavefronts += phase_wavefronts(lanes, first, count);
  return wavefronts;
}

/// Lanes that one wavefront can serve when each wants words of its own: 32 of 4 bytes, 16 of 8, 8 of 16.
constexpr int lanes_per_phase(int width) {
  return width < word_bytes ? warp_size : banks * word_bytes / width;
}

/// Whether every active lane's partner, the lane whose number differs in `mask`, is inactive or at the same
/// address.
constexpr bool partners_agree(const Lanes& lanes, int mask) {
  for (int lane = 0; lane < warp_size; ++lane) {
    const int partner = lane ^ mask;
    if (!lanes.active(lane) || !lanes.active(partner)) continue;
    if (lanes.address(lane) != lanes.address(partner)) return false;
  }
  return true;
}

// [shared-load]
/// Wavefronts of a warp's shared load, `smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum`.
///
/// Up to 4 bytes per lane the warp is one phase; 8 bytes take two phases of 16 lanes, 16 bytes four phases of
/// 8 lanes. Phases merge two by two if partners agree throughout the warp, across bit 0 or across bit 1 of
/// the lane's number: then half of the lanes bring nothing new.
constexpr int shared_load_wavefronts(const Lanes& lanes) {
  const int count = lanes_per_phase(lanes.width());
  const bool merges = count < warp_size && (partners_agree(lanes, 1) || partners_agree(lanes, 2));
  return phased_wavefronts(lanes, merges ? 2 * count : count);
}
// [shared-load]

/// Wavefronts of a warp's shared store, `smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum`:
/// the phases of a load, but they never merge.
constexpr int shared_store_wavefronts(const Lanes& lanes) {
  return phased_wavefronts(lanes, lanes_per_phase(lanes.width()));
}

/// Wavefronts of a warp's 4-byte shared atomic: the most lanes at one bank; equal addresses count each.
/// @throws std::invalid_argument for another width: no rule has been measured for it
constexpr int shared_atomic_wavefronts(const Lanes& lanes) {
  if (lanes.width() != word_bytes) refuse("shared atomics: only 4 bytes are modelled");
  BankCounts wanted;
  for (int lane = 0; lane < warp_size; ++lane) {
    if (lanes.active(lane)) wanted.ask(bank_of(word_of(lanes.address(lane))));
  }
  return wanted.most();
}

}  // namespace weft::model
