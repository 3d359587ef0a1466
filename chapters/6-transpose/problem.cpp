#include "problem.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <type_traits>

#include "check/arrays.hpp"
#include "step/shapes.hpp"
#include "step/step.hpp"

namespace weft {
namespace {

List<Shape> measured_shapes(Kind kind, bool is_default) {
  if (kind == Kind::experiment) return {{8192, 8192}};
  if (is_default) return {{4096, 4096}, {8192, 8192}, {16384, 16384}, {8191, 8209}};
  return {{4096, 4096}, {8192, 8192}};
}
List<Shape> counted_shapes() { return {{1024, 1024}}; }

/// Shapes that break any kernel, and those on the edges of this chapter's tiles, from 4 × 4 to 64 × 256.
List<Shape> checked_shapes() {
  List<Shape> shapes = adversarial_shapes(32, 32);
  for (const Shape& shape : adversarial_shapes(64, 64)) {
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  for (const std::int64_t rows : {60, 64, 124, 128, 132}) {
    for (const std::int64_t columns : {252, 255, 256, 257, 260}) shapes.push_back({rows, columns});
  }
  return shapes;
}

/// The element of an input; double precision gets the bits that a float does not have from a second one.
template <typename T>
T input_element(std::uint64_t seed, std::int64_t index) {
  if constexpr (std::is_same_v<T, float>) {
    return hashed_float(seed, index);
  } else {
    static_assert(std::is_same_v<T, double>);
    constexpr std::uint64_t low_bits = (1U << 29) - 1;
    const double value = hashed_float(seed, index);
    const auto extra = std::bit_cast<std::uint32_t>(hashed_float(seed + 1, index));
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | (extra & low_bits));
  }
}

template <typename T>
void input_elements(std::uint64_t seed, std::int64_t first, std::int64_t last, T* values) {
  if constexpr (std::is_same_v<T, float>) {
    hashed_floats(seed, first, last, values);
  } else {
    for (std::int64_t i = first; i < last; ++i) values[i - first] = input_element<T>(seed, i);
  }
}

/// What a problem asks for: the matrix as it is, or transposed.
enum class Result : std::uint8_t { copy, transpose };

/// A matrix to be moved, whose rows are `padding` elements longer than it is wide, and one of the right shape
/// to move it to.
/// @throws OutOfDeviceMemory if there is no room for both matrices
template <typename T, Result result>
Owned<Problem> move_problem(const Shape& shape, const Setting& setting, const Launch<T>& launch,
                            std::int64_t padding) {
  const std::int64_t rows = shape[0];
  const std::int64_t columns = shape[1];
  const std::int64_t pitch = columns + padding;
  const Shape moved = result == Result::copy ? shape : Shape{columns, rows};
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<T>("input", {rows, pitch}, input_elements<T>);
  auto& out = problem->output<T>("output", moved, [=](std::uint64_t seed, std::int64_t index) {
    const std::int64_t row = result == Result::copy ? index / columns : index % rows;
    const std::int64_t column = result == Result::copy ? index % columns : index / rows;
    return input_element<T>(seed, row * pitch + column);
  });
  problem->launches([=, &in, &out](cudaStream_t stream) {
    if (out.size() == 0) return;  // CUDA refuses an empty grid
    launch(shape, setting, stream, {in.data(), rows, columns}, {out.data(), moved[0], moved[1]});
  });
  return problem;
}

template <typename T, Result result>
Variant move_variant(const char* name, const Setting& setting, const Launch<T>& launch,
                     const Predict& predict, Kind kind, std::int64_t padding = 0) {
  Variant made(name, setting);
  made.kind = kind;
  made.checked = checked_shapes();
  made.measured = measured_shapes(kind, setting.is_default());
  if (setting.is_default()) made.checked_large = large_shapes();  // the kernel of the others is the same
  made.make = [=](const Shape& shape) { return move_problem<T, result>(shape, setting, launch, padding); };
  made.amounts = [](const Shape& shape) {
    return Amounts{.bytes = 2 * std::int64_t{sizeof(T)} * elements(shape)};
  };
  if (predict) {
    made.counted = counted_shapes();
    made.predict = [=](const Shape& shape) { return predict(shape, setting); };
  }
  return made;
}

template <typename T, Result result>
void add_move(const char* name, const Axes& axes, const Launch<T>& launch, const Predict& predict,
              Kind kind) {
  for (const Setting& setting : axes.settings()) {
    add(move_variant<T, result>(name, setting, launch, predict, kind));
  }
}

}  // namespace

template <typename T>
void add_copy(const char* name, const Axes& axes, const std::type_identity_t<Launch<T>>& launch,
              const Predict& predict, Kind kind) {
  add_move<T, Result::copy>(name, axes, launch, predict, kind);
}

template <typename T>
void add_transpose(const char* name, const Axes& axes, const std::type_identity_t<Launch<T>>& launch,
                   const Predict& predict, Kind kind) {
  add_move<T, Result::transpose>(name, axes, launch, predict, kind);
}

void add_padded_transpose(const char* name, const Axes& axes, const Launch<float>& launch,
                          const Predict& predict, Kind kind) {
  for (const Setting& setting : axes.settings()) {
    const int padding = setting.number("padding");
    add(move_variant<float, Result::transpose>(name, setting, launch, predict, kind, padding));
  }
}

Variant transpose_variant(const char* name, const Setting& setting, const Launch<float>& launch) {
  return move_variant<float, Result::transpose>(name, setting, launch, {}, Kind::step);
}

template void add_copy<float>(const char*, const Axes&, const Launch<float>&, const Predict&, Kind);
template void add_transpose<float>(const char*, const Axes&, const Launch<float>&, const Predict&, Kind);
template void add_transpose<double>(const char*, const Axes&, const Launch<double>&, const Predict&, Kind);

}  // namespace weft
