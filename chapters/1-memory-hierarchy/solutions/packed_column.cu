// A column that is read again and again is packed first: then its lines fit into the L1.
//
// Exercise: One thread adds up a column of a matrix of 4096 × 1024 floats, again and again. How many bytes of
// lines does it touch, and which level answers its loads? Change the program so that the L1 does.
#include "check/counted.hpp"
#include "model/walk.hpp"

#include "problem.hpp"

namespace {
constexpr std::int64_t columns = 1024;

// [kernel]
__global__ void sum_column(const std::uint32_t* matrix, std::uint32_t* packed, std::uint32_t* sum,
                           std::int64_t rows, int rounds) {
  for (std::int64_t row = 0; row < rows; ++row) packed[row] = matrix[row * columns];
  std::uint32_t total = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::int64_t row = 0; row < rows; ++row) total += __ldca(packed + row);
  }
  *sum = total;
}
// [kernel]

// [lines]
/// The bytes of the lines that a walk touches: down the column as it lies, and down the packed one.
constexpr std::int64_t touched(std::int64_t bytes, std::int64_t stride) {
  return model::Walk{bytes, stride}.pieces(model::line_bytes) * model::line_bytes;
}
static_assert(touched(4096 * columns * 4, columns * 4) == 512 << 10);
static_assert(touched(std::int64_t{4096} * 4, 4) == 16 << 10);
// [lines]

std::uint32_t word(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

Owned<Problem> make(std::int64_t rows, int rounds) {
  auto problem = make_owned<ArrayProblem>();
  auto& matrix = problem->input<std::uint32_t>("matrix", {rows, columns}, word);
  auto& packed = problem->output<std::uint32_t>(
      "packed", {rows}, [](std::uint64_t seed, std::int64_t row) { return word(seed, row * columns); });
  auto& sum = problem->output<std::uint32_t>("sum", {1}, [=](std::uint64_t seed, auto) {
    std::uint32_t total = 0;
    for (std::int64_t row = 0; row < rows; ++row) total += word(seed, row * columns);
    return total * static_cast<std::uint32_t>(rounds);
  });
  problem->launches([=, &matrix, &packed, &sum](cudaStream_t stream) {
    sum_column<<<1, 1, 0, stream>>>(matrix.data(), packed.data(), sum.data(), rows, rounds);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  Variant made("packed-column", Axes().settings().front());
  made.checked = {{1, 1}, {33, 2}, {4096, 3}};
  made.measured = {{4096, 64}};
  made.counted = {{256, 4}};
  made.rated_by = Rating::accesses;
  made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0] * (shape[1] + 1)}; };
  made.make = [](const Shape& shape) { return make(shape[0], static_cast<int>(shape[1])); };
  add(std::move(made));
}

TEST_CASE("the matrix is read once, and the packed column in each round") {
  with_counts({256, 4}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_requests] == 256 * (1 + 4));
    CHECK(counted[model::Metric::global_store_requests] == 256 + 1);
  });
}
