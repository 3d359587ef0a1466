// Products made wrong on purpose: what checks the steps of chapter 7 must catch every one of them.

#include "product.hpp"
#include "step/mismatch.hpp"

namespace weft {
namespace {

enum class Mutant : std::uint8_t {
  none,
  last_of_k,
  alpha,
  beta,
  reads_c,
  takes_k_for_lda,
  gap,
  past_the_end,
  one_element,
  unwritten,
  rounded
};

/// The upper 19 bits of a float, all that a tensor core takes of it.
__device__ float upper_bits(float value) { return __uint_as_float(__float_as_uint(value) & 0xFFFFE000); }

template <Mutant mutant>
__global__ void multiply(Sgemm p) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (mutant == Mutant::gap && row < p.m && column == p.n && p.ldc > p.n) p.c[row * p.ldc + column] = 0;
  if (mutant == Mutant::past_the_end && row == p.m - 1 && column == p.n) p.c[row * p.ldc + column] = 0;
  if (row >= p.m || column >= p.n) return;
  if (mutant == Mutant::unwritten && row == p.m - 1 && column == p.n - 1) return;
  const std::int64_t lda = mutant == Mutant::takes_k_for_lda ? p.k : p.lda;
  const int last = mutant == Mutant::last_of_k && p.k % 8 == 5 ? p.k - 1 : p.k;
  float sum = 0;
  for (int i = 0; i < last; ++i) {
    const float a = p.a[row * lda + i];
    const float b = p.b[i * p.ldb + column];
    sum += mutant == Mutant::rounded ? upper_bits(a) * upper_bits(b) : a * b;
  }
  if (mutant == Mutant::one_element && row == p.m / 2 && column == 1)
    sum = __int_as_float(__float_as_int(sum) + 64);
  float* const element = &p.c[row * p.ldc + column];
  const float alpha = mutant == Mutant::alpha ? 1 : p.alpha;
  if (mutant == Mutant::reads_c) {
    *element = alpha * sum + p.beta * *element;
  } else {
    update(element, alpha, sum, mutant == Mutant::beta && p.beta != 0 ? 1 : p.beta);
  }
}

template <Mutant mutant>
void launch(cudaStream_t stream, const Sgemm& p) {
  constexpr dim3 block{32, 8};
  multiply<mutant><<<grid_over(p.n + 1, p.m, block), block, 0, stream>>>(p);
}

/// Whether any of the checks that a step goes through finds something.
template <Mutant mutant>
bool caught() {
  for (const Shape& shape : List<Shape>{{33, 35, 37}, {128, 32, 40}}) {
    for (const Operands& operands : List<Operands>{{}, {.alpha = -0.5F, .beta = 2}, {.gap = 3}}) {
      Product product(shape, operands, launch<mutant>, {});
      for (const std::uint64_t seed : {1, 2}) {
        product.fill(seed);
        product.poison(nullptr);
        product.launch(nullptr);
        cuda_check(cudaGetLastError());
        cuda_check(cudaDeviceSynchronize());
        if (product.verify()) return true;
      }
    }
  }
  return false;
}

TEST_SUITE("device") {
  TEST_CASE("a right product passes") { CHECK_FALSE(caught<Mutant::none>()); }

  TEST_CASE("a wrong product is caught") {
    CHECK(caught<Mutant::last_of_k>());
    CHECK(caught<Mutant::alpha>());
    CHECK(caught<Mutant::beta>());
    CHECK(caught<Mutant::reads_c>());
    CHECK(caught<Mutant::takes_k_for_lda>());
    CHECK(caught<Mutant::gap>());
    CHECK(caught<Mutant::past_the_end>());
    CHECK(caught<Mutant::one_element>());
    CHECK(caught<Mutant::unwritten>());
    CHECK(caught<Mutant::rounded>());
  }
}

}  // namespace
}  // namespace weft

void weft::register_steps() { tests_alone(); }
