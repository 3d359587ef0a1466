// Two pieces of 64 bytes are read together, and lie further and further apart: up to which distance do they
// cost no more than a run of 128 bytes?
#include "gather.hpp"

namespace {
constexpr std::int64_t piece = 64;

// [place]
/// Pieces in pairs. The numbers of a pair's pieces differ in one bit, and pairs lie in random order.
class PartedPairs {
 public:
  /// @param bytes of the memory
  /// @param apart bytes between the pieces of a pair, less than the memory has; both powers of two
  PartedPairs(std::int64_t bytes, std::int64_t apart)
      : order_(bytes / (2 * piece)), last_(bytes / (2 * piece) - 1), apart_(apart / piece) {}

  __host__ __device__ std::int64_t operator()(std::int64_t asked) const {
    const std::int64_t pair = order_(asked / (2 * piece) & last_);
    const std::int64_t second = asked / piece % 2;
    const std::int64_t low = pair & (apart_ - 1);
    return (2 * (pair - low) + second * apart_ + low) * piece + asked % piece;
  }

 private:
  Permutation order_;
  std::int64_t last_;
  std::int64_t apart_;
};
// [place]
}  // namespace

void weft::register_steps() {
  Numbers distances;
  for (int log = 6; log <= 26; ++log) distances.push_back(std::int64_t{1} << log);
  for (const Setting& setting : Axes().with("apart", distances).settings()) {
    const std::int64_t apart = setting.number();
    Variant made = gathering(
        "parted-runs", setting, [=](std::int64_t bytes) { return PartedPairs(bytes, apart); },
        [](const Shape& shape) { return shape[1] * mebibyte; }, [](int lane) { return lane; });
    if (apart >= mebibyte) made.checked = {{128, 1}};
    if (apart >= mebibyte) made.counted = {{128, 1}};
    made.measured = {{32768, 1024}};
    add(std::move(made));
  }
}
