// A column of a matrix in the L1: which length of the rows makes it cheap to read, and how cheap it can be.
//
// Exercise: A warp reads a column of 32 floats from a matrix that the L1 holds. Its rows are 1024 floats
// long. How many cycles does the load take at least? By how many floats must each row grow, so that the load
// takes the fewest?
#include "check/counted.hpp"
#include "model/l1.hpp"

#include "problem.hpp"

namespace {
constexpr std::int64_t rows = model::warp_size;
constexpr std::int64_t longest = 1056;
constexpr std::int64_t first_element = guard_bytes / 4;  // in an allocation

// [kernel]
__global__ void read_column(const float* matrix, float* column, std::int64_t row_length) {
  column[threadIdx.x] = matrix[threadIdx.x * row_length];
}
// [kernel]

// [cycles]
/// What the load takes at least if the L1 has its lines.
constexpr int cycles(std::int64_t row_length) {
  return model::l1_cycles(model::Lanes(4, [=](int lane) { return first_element + lane * row_length; }));
}
// [cycles]

Owned<Problem> make(std::int64_t row_length) {
  auto problem = make_owned<ArrayProblem>();
  const auto element = [](auto, std::int64_t index) { return static_cast<float>(index); };
  auto& matrix = problem->input<float>("matrix", {rows, longest}, element);
  auto& column = problem->output<float>(
      "column", {rows}, [=](auto, std::int64_t row) { return static_cast<float>(row * row_length); });
  problem->launches([=, &matrix, &column](cudaStream_t stream) {
    read_column<<<1, model::warp_size, 0, stream>>>(matrix.data(), column.data(), row_length);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  Variant made("row-length", Axes().settings().front());
  made.checked = {{1024}, {1025}, {longest}};
  made.counted = {{1024}, {1025}};
  made.amounts = [](const Shape&) { return Amounts{.bytes = 8 * rows}; };
  made.make = [](const Shape& shape) { return make(shape[0]); };
  add(std::move(made));
}

TEST_CASE("one float more is enough, and no length is cheaper") {
  CHECK(cycles(1024) == 32);
  CHECK(cycles(1025) == 8);
  for (std::int64_t length = 1024; length <= longest; ++length) CHECK(cycles(length) >= 8);
}

TEST_CASE("the emulator counts these wavefronts") {
  const auto wavefronts = [](std::int64_t row_length, std::int64_t data, std::int64_t tags) {
    with_counts({row_length}, [=](const model::Metrics& counted) {
      CHECK(counted[model::Metric::load_tag_wavefronts] == tags);
      CHECK(counted[model::Metric::data_wavefronts] >= data);
    });
  };
  wavefronts(1024, 32, 8);
  wavefronts(1025, 1, 8);
}
