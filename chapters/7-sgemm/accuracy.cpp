#include "accuracy.hpp"

#include <cmath>

#include "check/buffer.hpp"
#include "device/device.hpp"
#include "product.hpp"

namespace weft {
namespace {

/// An element of one of the factors.
/// @param line its row in A, its column in B
float factor(std::uint64_t seed, std::int64_t index, std::int64_t line, Inputs inputs) {
  const float value = input(seed, index);
  if (inputs == Inputs::even) return value;
  constexpr int widest = 30;
  return std::ldexp(value, static_cast<int>(line * 7 % (2 * widest + 1)) - widest);
}

}  // namespace

double relative_error(Launch launch, Workspace workspace, int m, int n, int k, Inputs inputs) {
  const auto size = [](int rows, int columns) { return std::int64_t{rows} * columns; };
  GuardedBuffer<float> a(size(m, k));
  GuardedBuffer<float> b(size(k, n));
  GuardedBuffer<float> c(size(m, n));
  GuardedBuffer<float> space(workspace != nullptr ? workspace(m, n, k) : 0);
  const auto of_a = [=](std::int64_t index) { return factor(1, index, index / k, inputs); };
  const auto of_b = [=](std::int64_t index) { return factor(3, index, index % n, inputs); };
  a.fill(of_a);
  b.fill(of_b);
  c.poison();
  launch(nullptr, {m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(), n, space.data()});
  cuda_check(cudaGetLastError());
  std::vector<float> found(static_cast<std::size_t>(c.size()));
  cuda_check(cudaMemcpy(found.data(), c.data(), found.size() * sizeof(float), cudaMemcpyDeviceToHost));

  double squares = 0;
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t column = 0; column < n; ++column) {
      double sum = 0;
      double magnitude = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        const double product = double{of_a(row * k + i)} * of_b(i * n + column);
        sum += product;
        magnitude += std::abs(product);
      }
      const double error = (found[static_cast<std::size_t>(row * n + column)] - sum) / magnitude;
      squares += error * error;
    }
  }
  return std::sqrt(squares / static_cast<double>(c.size()));
}

}  // namespace weft
