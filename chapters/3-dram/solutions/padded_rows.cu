// Rows that are two floats longer: a column then meets all eight banks.
//
// Exercise: The rows of a matrix are 16 floats long, and a thread reads a column. How many of the toy's banks
// do eight loads meet? Find the least padding with which they meet all eight.
#include <set>

#include "problem.hpp"

namespace {
constexpr std::int64_t rows = 8;

// [kernel]
template <typename Matrix>
__global__ void sum_column(Matrix matrix, float* sum, std::int64_t pitch) {
  float total = 0;
  for (std::int64_t row = 0; row < rows; ++row) total += matrix[row * pitch];
  *sum = total;
}
// [kernel]

// [banks]
/// The banks that elements lie in.
std::size_t banks_of(const Numbers& elements) {
  std::set<std::int64_t> found;
  for (const std::int64_t element : elements) {
    const model::BankPlace place = toy.place(element * std::int64_t{sizeof(float)});
    found.insert(place.channel * toy.banks + place.bank);
  }
  return found.size();
}
// [banks]

/// The elements that a thread asks for down a column.
Numbers column(std::int64_t pitch) {
  GuardedBuffer<float> matrix(rows * pitch), sum(1);
  GuardedBuffer<std::int64_t> notes(rows);
  matrix.poison();
  sum_column<<<1, 1>>>(Noted{matrix.data(), notes.data(), rows}, sum.data(), pitch);
  cuda_check(cudaDeviceSynchronize());
  Numbers elements(rows);
  notes.copy_out(0, rows, elements.data());
  return elements;
}
}  // namespace

void weft::register_steps() { tests_alone(); }

TEST_SUITE("device") {
  TEST_CASE("rows of 16 floats: one bank; 17: four; 18: all eight") {
    CHECK(banks_of(column(16)) == 1);
    CHECK(banks_of(column(17)) == 4);
    CHECK(banks_of(column(18)) == 8);
  }
}
