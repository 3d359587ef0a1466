// The same loop, the same instructions: now the threads of a warp lie beside each other.
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 32};

// [kernel]
__global__ void sgemm_one_column(int m, int n, int k, float alpha, const float* __restrict__ a,
                                 std::int64_t lda, const float* __restrict__ b, std::int64_t ldb, float beta,
                                 float* __restrict__ c, std::int64_t ldc) {
  const std::int64_t row = block_y() * blockDim.y + threadIdx.y;
  const std::int64_t column = block_x() * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * lda + i] * b[i * ldb + column];
  update(&c[row * ldc + column], alpha, sum, beta);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.n, p.m, block);
  sgemm_one_column<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c,
                                               p.ldc);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / model::warp_size;
  return model::Prediction{}
      .global_load(warps * k, 4, [](int) { return 0; })          // one element of A, for all lanes
      .global_load(warps * k, 4, [](int lane) { return lane; })  // a row of B
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  add_product("one-column", block, launch, predict,
              {.measured = {{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}}});
}
// [step]

TEST_CASE("beside each other, the lanes ask for less than a sixth of the sectors") {
  CHECK(model::sectors({4, [](int lane) { return lane; }}) == 4);
  with_counts({128, 128, 128}, [](const model::Metrics& counted) {
    const std::uint64_t requests = counted[model::Metric::global_load_requests];
    CHECK(2 * counted[model::Metric::global_load_sectors] == 5 * requests);
  });
}
