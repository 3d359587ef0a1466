#include "problem.hpp"

namespace weft {

std::uint32_t word(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

std::uint32_t sum_of_words(std::uint64_t seed, std::int64_t first, std::int64_t count) {
  return static_cast<std::uint32_t>(count) * word(seed, first) +
         static_cast<std::uint32_t>(5 * (count * (count - 1) / 2));
}

void predict_loads(model::Prediction& prediction, std::int64_t count, int width) {
  const std::int64_t left = count % model::warp_size;
  prediction.global_load(count / model::warp_size, width, own_lane)
      .global_load(left > 0 ? 1 : 0, width,
                   [=](int lane) { return lane < left ? model::Element(lane) : model::Element(); });
}

}  // namespace weft
