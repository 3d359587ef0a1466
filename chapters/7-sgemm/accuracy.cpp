#include "accuracy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "check/buffer.hpp"
#include "device/device.hpp"
#include "device/parallel.hpp"
#include "product.hpp"
#include "step/mismatch.hpp"
#include "step/text.hpp"

namespace weft {
namespace {

constexpr std::int64_t most_sampled = 128;  ///< rows, columns

/// A power of two, as even as numbers are.
int exponent(std::uint64_t seed, std::int64_t number, int most) {
  constexpr std::uint64_t other_seed = 1'000;
  return static_cast<int>((input(seed + other_seed, number) + 1) / 2 * static_cast<float>(2 * most + 1)) -
         most;
}

/// An element of one of the factors, made of an input.
/// @param line its row in A, its column in B
float made_of(float value, std::uint64_t seed, std::int64_t index, std::int64_t line, Inputs inputs) {
  switch (inputs) {
    case Inputs::zero_mean:
      return value;
    case Inputs::positive:
      return (value + 1) / 2;
    case Inputs::ill_scaled:
      return std::ldexp(value, exponent(seed, index, 10));
    case Inputs::spread:
      return std::ldexp(value, exponent(seed, line, 30));
  }
  return value;
}

float factor(std::uint64_t seed, std::int64_t index, std::int64_t line, Inputs inputs) {
  return made_of(input(seed, index), seed, index, line, inputs);
}

/// Fills a factor.
/// @param line_of the line of an index
template <typename LineOf>
void fill_factor(GuardedBuffer<float>& buffer, std::uint64_t seed, Inputs inputs, const LineOf& line_of) {
  buffer.fill_ranges([&](std::int64_t first, std::int64_t last, float* values) {
    write_inputs(seed, first, last, values);
    if (inputs == Inputs::zero_mean) return;
    for (std::int64_t i = first; i < last; ++i) {
      values[i - first] = made_of(values[i - first], seed, i, line_of(i), inputs);
    }
  });
}

/// The sums of squares and of errors of a row.
struct RowError {
  double squares = 0, sum = 0;
};

/// A product, and how far from the truth it is on other inputs than those that it is timed with.
class Measured final : public Problem {
 public:
  Measured(const Shape& shape, Launch launch, Workspace workspace)
      : shape_(shape), launch_(launch), workspace_(workspace), product_(shape, {}, launch, workspace) {}

  void fill(std::uint64_t seed) override { product_.fill(seed); }
  void poison(cudaStream_t stream) override { product_.poison(stream); }
  void launch(cudaStream_t stream) override { product_.launch(stream); }
  Verdict verify() override { return product_.verify(); }

  /// The same after every launch, so looked at once.
  const Error& error(Inputs inputs) {
    std::optional<Error>& known = errors_.at(static_cast<std::size_t>(inputs));
    if (!known) known = relative_error(launch_, workspace_, shape_, inputs);
    return *known;
  }

 private:
  Shape shape_;
  Launch launch_;
  Workspace workspace_;
  Product product_;
  std::array<std::optional<Error>, 4> errors_;
};

/// At most of them cuBLAS has tiles enough for the whole card; at the last two it divides the depth, too.
List<Shape> measured_depths() {
  List<Shape> shapes;
  for (const std::int64_t depth : {8, 16, 32, 64, 128, 256, 1024, 4096, 16'384}) {
    shapes.push_back({4096, 2048, depth});
  }
  shapes.append({{128, 128, 4096}, {512, 512, 65'536}});
  return shapes;
}

}  // namespace

Error relative_error(const Work& launch, Workspace workspace, const Shape& shape, Inputs inputs) {
  const std::int64_t m = shape[0];
  const std::int64_t n = shape[1];
  const std::int64_t k = shape[2];
  GuardedBuffer<float> a(m * k);
  GuardedBuffer<float> b(k * n);
  GuardedBuffer<float> c(m * n);
  GuardedBuffer<float> space(workspace != nullptr ? workspace(m, n, k) : 0);
  const auto of_a = [=](std::int64_t index) { return factor(1, index, index / k, inputs); };
  const auto of_b = [=](std::int64_t index) { return factor(3, index, index % n, inputs); };
  fill_factor(a, 1, inputs, [=](std::int64_t index) { return index / k; });
  fill_factor(b, 3, inputs, [=](std::int64_t index) { return index % n; });
  c.poison();
  launch(nullptr, {static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1, a.data(), k, b.data(), n,
                   0, c.data(), n, space.data()});
  cuda_check(cudaGetLastError());
  cuda_check(cudaDeviceSynchronize());

  const std::int64_t rows = std::min(m, most_sampled);
  const std::int64_t columns = std::min(n, most_sampled);
  std::vector<float> sampled(static_cast<std::size_t>(k * columns));  // of B: all rows need them
  for_each_range(0, k * columns, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      sampled[static_cast<std::size_t>(i)] = of_b(i / columns * n + i % columns);
    }
  });
  std::vector<RowError> errors(static_cast<std::size_t>(rows));
  for_each_range(
      0, rows,
      [&](std::int64_t first, std::int64_t last) {
        std::vector<double> sums(static_cast<std::size_t>(columns));
        std::vector<double> magnitudes(static_cast<std::size_t>(columns));
        std::vector<float> found(static_cast<std::size_t>(columns));
        for (std::int64_t row = first; row < last; ++row) {
          std::ranges::fill(sums, 0);
          std::ranges::fill(magnitudes, 0);
          for (std::int64_t i = 0; i < k; ++i) {
            const double left = of_a(row * k + i);
            for (std::int64_t column = 0; column < columns; ++column) {
              const double product = left * sampled[static_cast<std::size_t>(i * columns + column)];
              sums[static_cast<std::size_t>(column)] += product;
              magnitudes[static_cast<std::size_t>(column)] += std::abs(product);
            }
          }
          c.copy_out(row * n, row * n + columns, found.data());
          RowError& error = errors[static_cast<std::size_t>(row)];
          for (std::size_t i = 0; i < found.size(); ++i) {
            const double share = (found[i] - sums[i]) / magnitudes[i];
            error.squares += share * share;
            error.sum += sums[i] < 0 ? -share : share;
          }
        }
      },
      k * columns);
  RowError all;
  for (const RowError& error : errors) {
    all.squares += error.squares;
    all.sum += error.sum;
  }
  const auto elements = static_cast<double>(rows * columns);
  return {std::sqrt(all.squares / elements), all.sum / elements};
}

void add_error(const char* name, const Setting& setting, Launch launch, const ProductOptions& options) {
  constexpr double rounding = 0x1p-24;  // of a float: at most so much of it
  const auto reading = [](Inputs inputs, double Error::* number) {
    return
        [=](Problem& problem) { return dynamic_cast<Measured&>(problem).error(inputs).*number / rounding; };
  };
  Variant made = product_variant(name, setting, nullptr, nullptr, options);
  made.curve = true;
  made.checked = {{68, 132, 132}};
  made.checked_large.clear();
  made.measured = measured_depths();
  made.make = [=, workspace = options.workspace](const Shape& shape) {
    return make_owned<Measured>(shape, launch, workspace);
  };
  made.quantities = {{"zero-mean-error", "u", Origin::device, reading(Inputs::zero_mean, &Error::rms)},
                     {"positive-error", "u", Origin::device, reading(Inputs::positive, &Error::rms)},
                     {"ill-scaled-error", "u", Origin::device, reading(Inputs::ill_scaled, &Error::rms)},
                     {"positive-drift", "u", Origin::device, reading(Inputs::positive, &Error::mean)}};
  add(std::move(made));
}

}  // namespace weft
