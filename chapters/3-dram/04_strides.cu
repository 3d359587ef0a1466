// One sector is read, and the next one lies a stride further: is there a stride that meets few channels?
#include "gather.hpp"

namespace {
// [place]
/// Sector after sector, each a stride behind the one before.
struct Strided {
  std::int64_t stride;

  __host__ __device__ std::int64_t operator()(std::int64_t asked) const {
    return asked / model::sector_bytes * stride + asked % model::sector_bytes;
  }
};
// [place]

/// The bytes that are asked for: whole blocks' of them, and no more than the memory has sectors for.
std::int64_t asked_with(const Shape& shape, std::int64_t stride) {
  const std::int64_t there = shape[0] * mebibyte / stride * model::sector_bytes;
  return min(shape[1] * mebibyte, there) / bytes_of_gather_block * bytes_of_gather_block;
}
}  // namespace

void weft::register_steps() {
  Numbers strides;
  for (int log = 5; log <= 17; ++log) strides.push_back(std::int64_t{1} << log);
  constexpr std::int64_t chunk = 256;
  // No powers of two: three times one, an odd number of lines, and as many chunks as pseudo-channels may be.
  strides.append(
      {96, 384, 1536, 6144, 24576, std::int64_t{67} * model::line_bytes, 188 * chunk, 192 * chunk});
  for (const Setting& setting : Axes().with("stride", strides).settings()) {
    const std::int64_t stride = setting.number();
    const auto sectors = [=](int lane) { return lane / 2 * (stride / 16) + lane % 2; };
    Variant made = gathering(
        "strides", setting, [=](std::int64_t) { return Strided{stride}; },
        [=](const Shape& shape) { return asked_with(shape, stride); }, sectors);
    made.checked = {{256, 1}};
    made.counted = {{256, 1}};
    made.measured = {{65536, 128}};
    add(std::move(made));
  }
}
