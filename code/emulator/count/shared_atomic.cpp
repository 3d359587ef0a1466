#include "emulator/count/shared_atomic.hpp"

#include <algorithm>

#include "model/shared.hpp"

namespace weft::emulator {
namespace {

int lanes_per_phase(int bytes) { return bytes > model::word_bytes ? 16 : 32; }

}  // namespace

int native_atomic_wavefronts(const model::Lanes& lanes) {
  const int size = lanes_per_phase(lanes.width());
  int wavefronts = 0;
  for (int first = 0; first < model::warp_size; first += size) {
    std::array<int, model::banks> wanted{};
    for (int lane = first; lane < first + size; ++lane) {
      if (!lanes.active(lane)) continue;
      const int bank = model::bank_of(model::word_of(lanes.address(lane)));
      ++wanted[static_cast<std::size_t>(bank)];
    }
    wavefronts += *std::ranges::max_element(wanted);
  }
  return wavefronts;
}

int shared_swap_wavefronts(const model::Lanes& lanes) {
  const int size = lanes_per_phase(lanes.width());
  int wavefronts = 0;
  for (int first = 0; first < model::warp_size; first += size) {
    bool any = false;
    for (int lane = first; lane < first + size; ++lane) any = any || lanes.active(lane);
    if (any) wavefronts += 2;
  }
  return wavefronts;
}

std::uint32_t swapping_lanes(const std::array<std::uint64_t, 32>& addresses, std::uint32_t active,
                             int bytes) {
  const int size = lanes_per_phase(bytes);
  std::uint32_t swapping = 0;
  for (int first = 0; first < model::warp_size; first += size) {
    std::uint32_t busy = 0;  // a bit for each bank
    for (int lane = first; lane < first + size; ++lane) {
      const auto index = static_cast<std::size_t>(lane);
      const int bank = model::bank_of(model::word_of(static_cast<std::int64_t>(addresses[index])));
      if ((active >> lane & 1U) == 0 || (busy >> bank & 1U) != 0) continue;
      busy |= 1U << bank;
      bool changed = false;
      for (int other = 0; other < first; ++other) {
        const bool swapped = (swapping >> other & 1U) != 0;
        changed = changed || (swapped && addresses[static_cast<std::size_t>(other)] == addresses[index]);
      }
      if (!changed) swapping |= 1U << lane;
    }
  }
  return swapping;
}

}  // namespace weft::emulator
