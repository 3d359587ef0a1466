#include "product.hpp"

#include "check/pattern.hpp"

namespace weft {
namespace {

/// An integer from -8 to 7 for each row or column of a matrix.
std::int64_t part(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::int64_t>(permuted(static_cast<std::uint32_t>(index) ^ salt_of(seed, 0)) & 15U) - 8;
}

/// What is added up to an element: one number for its row, one for its column. So the sum of many products is
/// known without them.
struct Parts {
  std::uint64_t row_seed, column_seed;

  [[nodiscard]] std::int64_t of_row(std::int64_t row) const { return part(row_seed, row); }
  [[nodiscard]] std::int64_t of_column(std::int64_t column) const { return part(column_seed, column); }
  [[nodiscard]] float element(std::int64_t index, std::int64_t columns) const {
    return static_cast<float>(of_row(index / columns) + of_column(index % columns));
  }
};

Parts parts_of_a(std::uint64_t seed) { return {4 * seed, 4 * seed + 1}; }
Parts parts_of_b(std::uint64_t seed) { return {4 * seed + 2, 4 * seed + 3}; }

/// The sum over l of (row + a_l) (b_l + column): below 2^24 up to k = 2^16, and so exact in any order.
void multiply(std::uint64_t seed, std::int64_t n, std::int64_t k, std::int64_t first, std::int64_t last,
              float* values) {
  const Parts a = parts_of_a(seed);
  const Parts b = parts_of_b(seed);
  std::int64_t sum_of_a = 0;
  std::int64_t sum_of_b = 0;
  std::int64_t sum_of_products = 0;
  for (std::int64_t l = 0; l < k; ++l) {
    sum_of_a += a.of_column(l);
    sum_of_b += b.of_row(l);
    sum_of_products += a.of_column(l) * b.of_row(l);
  }
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t row = a.of_row(i / n);
    const std::int64_t column = b.of_column(i % n);
    values[i - first] =
        static_cast<float>(k * row * column + row * sum_of_b + column * sum_of_a + sum_of_products);
  }
}

Owned<Problem> make(std::int64_t m, std::int64_t n, std::int64_t k, const Setting& setting,
                    const ProductStep& step) {
  auto problem = make_owned<ArrayProblem>();
  auto& a = problem->input<float>("A", {m, k}, [=](std::uint64_t seed, std::int64_t index) {
    return parts_of_a(seed).element(index, k);
  });
  auto& b = problem->input<float>("B", {k, n}, [=](std::uint64_t seed, std::int64_t index) {
    return parts_of_b(seed).element(index, n);
  });
  auto& c = problem->output<float>(
      "C", {m, n}, [=](std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) {
        multiply(seed, n, k, first, last, values);
      });
  problem->launches([=, launch = step.launch, &a, &b, &c](cudaStream_t stream) {
    if (m == 0 || n == 0) return;
    launch(stream, {a.data(), b.data(), c.data(), m, n, k}, setting);
  });
  return problem;
}

}  // namespace

void add_product(const char* name, const Setting& setting, const ProductStep& step) {
  Variant made(name, setting);
  made.checked = {{0, 5, 7}, {5, 7, 0}, {1, 1, 1}, {33, 35, 37}, {129, 257, 65}};
  if (setting.is_default()) {
    made.checked.append({{5, 0, 7}, {1, 1031, 3}, {1031, 1, 33}, {128, 512, 32}, {3, 5, 1031}});
  }
  made.measured = {{4096, 4096, 4096}, {1024, 1024, 1024}};
  if (!step.spills) made.counted = {{256, 512, 64}};
  made.make = [=](const Shape& s) { return make(s[0], s[1], s[2], setting, step); };
  made.rated_by = Rating::operations;
  made.amounts = [](const Shape& s) {
    return Amounts{.bytes = std::int64_t{sizeof(float)} * (s[0] * s[2] + s[2] * s[1] + s[0] * s[1]),
                   .operations = 2 * s[0] * s[1] * s[2]};
  };
  made.predict = [=](const Shape& s) {
    return step.predict({.a = nullptr, .b = nullptr, .c = nullptr, .m = s[0], .n = s[1], .k = s[2]}, setting);
  };
  add(std::move(made));
}

}  // namespace weft
