#include "stencil.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "check/compare.hpp"
#include "device/parallel.hpp"

namespace weft {
namespace {

/// Evenly spread over [0, 1), in steps of 2^-24.
void write_inputs(std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) {
  hashed_floats(seed, first, last, values);
  for (std::int64_t i = 0; i < last - first; ++i) {
    values[i] = static_cast<float>(std::bit_cast<std::uint32_t>(values[i]) & 0xFFFFFF) * 0x1p-24F;
  }
}

Field field_of(const Shape& shape) {
  const bool plane = shape.size() == 2;
  return {.in = nullptr,
          .out = nullptr,
          .depth = plane ? 1 : shape[0],
          .height = plane ? shape[0] : shape[1],
          .width = shape.back()};
}

/// One sweep on the host, which adds in the order of mean_of().
std::vector<float> swept(const std::vector<float>& in, const Field& field, bool plane) {
  std::vector<float> out = in;
  const std::int64_t width = field.width;
  const std::int64_t area = field.height * width;
  for_each_range(
      0, field.depth * field.height,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t y = row % field.height;
          const std::int64_t z = row / field.height;
          if (y == 0 || y == field.height - 1 || (!plane && (z == 0 || z == field.depth - 1))) continue;
          const float* const middle = &in[static_cast<std::size_t>(row * width)];
          float* const to = &out[static_cast<std::size_t>(row * width)];
          for (std::int64_t x = 1; x < width - 1; ++x) {
            const float beside = (middle[x - 1] + middle[x + 1]) + (middle[x - width] + middle[x + width]);
            to[x] = plane ? (beside + middle[x]) * (1.0F / 5)
                          : (beside + (middle[x - area] + middle[x + area]) + middle[x]) * (1.0F / 7);
          }
        }
      },
      width);
  return out;
}

using Reference = std::shared_ptr<const std::vector<float>>;

/// What so many sweeps make of the input. The last one is kept: variants that are timed one after the other
/// have it in common.
Reference reference(const Shape& shape, std::uint64_t seed, int sweeps) {
  static std::tuple<Shape, std::uint64_t, int> known_for;
  static Reference known;
  if (std::tuple asked(shape, seed, sweeps); known == nullptr || asked != known_for) {
    known.reset();
    std::vector<float> values(static_cast<std::size_t>(elements(shape)));
    for_each_range(0, std::ssize(values), [&](std::int64_t begin, std::int64_t end) {
      write_inputs(seed, begin, end, values.data() + begin);
    });
    for (int i = 0; i < sweeps; ++i) values = swept(values, field_of(shape), shape.size() == 2);
    known = std::make_shared<const std::vector<float>>(std::move(values));
    known_for = std::move(asked);
  }
  return known;
}

class StencilProblem final : public Problem {
 public:
  /// @throws OutOfDeviceMemory if there is no room
  StencilProblem(const Shape& shape, StencilStep step)
      : step_(std::move(step)),
        shape_(shape),
        field_(field_of(shape)),
        in_("in", shape, false, write_inputs),
        out_(elements(shape)) {}

  void fill(std::uint64_t seed) override {
    seed_ = seed;
    in_.fill(seed);
  }

  void poison(cudaStream_t stream) override { out_.poison(stream); }

  void launch(cudaStream_t stream) override {
    if (out_.size() == 0) return;
    Field field = field_;
    field.in = in_.buffer().data();
    field.out = out_.data();
    step_.launch(stream, field);
  }

  Verdict verify() override {
    previous_ = std::exchange(reference_, reference(shape_, seed_, step_.sweeps));
    const auto value_of = [](const Reference& values, std::int64_t i) {
      return values == nullptr ? 0 : (*values)[static_cast<std::size_t>(i)];
    };
    if (auto mismatch = compare(
            out_, {"out", shape_}, [&](std::int64_t i) { return value_of(reference_, i); },
            [&](std::int64_t i) { return value_of(previous_, i); })) {
      return mismatch;
    }
    return in_.verify(seed_, seed_);
  }

 private:
  StencilStep step_;
  Shape shape_;
  Field field_;
  ArrayOf<float> in_;
  GuardedBuffer<float> out_;
  Reference reference_, previous_;
  std::uint64_t seed_ = 0;
};

Variant stencil_variant(const char* name, const Setting& setting, const StencilStep& step) {
  Variant made(name, setting);
  made.make = [=](const Shape& shape) { return make_owned<StencilProblem>(shape, step); };
  made.amounts = [=](const Shape& shape) { return Amounts{.bytes = 8 * elements(shape) * step.sweeps}; };
  if (step.predict) made.predict = [=](const Shape& shape) { return step.predict(field_of(shape)); };
  return made;
}

}  // namespace

Variant plane_variant(const char* name, const Setting& setting, const StencilStep& step) {
  Variant made = stencil_variant(name, setting, step);
  made.checked = {{0, 0}, {1, 1},   {1, 7},    {7, 1},    {2, 2},    {3, 3},    {3, 4},      {5, 8},
                  {4, 3}, {9, 130}, {33, 129}, {41, 252}, {67, 308}, {131, 67}, {1030, 1028}};
  made.checked_large = {{46349, 46351}};
  made.measured = {{8192, 8192}};
  if (step.predict) made.counted = {{128, 512}};
  return made;
}

Variant space_variant(const char* name, const Setting& setting, const StencilStep& step) {
  Variant made = stencil_variant(name, setting, step);
  made.checked = {{0, 0, 0},  {1, 1, 1},   {1, 5, 8},   {3, 3, 3},    {3, 3, 4},   {2, 4, 5},
                  {5, 1, 12}, {4, 17, 33}, {9, 33, 12}, {6, 31, 132}, {3, 9, 301}, {70, 40, 64}};
  made.measured = {{512, 512, 512}};
  if (step.predict) made.counted = {{32, 40, 256}};
  return made;
}

}  // namespace weft
