// The textbook's loop, a thread for each element of C; the threads of a warp lie below each other.
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 32};

// [kernel]
__global__ void sgemm_one_row(int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
                              const float* __restrict__ b, std::int64_t ldb, float beta,
                              float* __restrict__ c, std::int64_t ldc) {
  const std::int64_t row = block_x() * blockDim.x + threadIdx.x;
  const std::int64_t column = block_y() * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * lda + i] * b[i * ldb + column];
  update(&c[row * ldc + column], alpha, sum, beta);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.m, p.n, block);
  sgemm_one_row<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c,
                                            p.ldc);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / model::warp_size;
  return model::Prediction{}
      .global_load(warps * k, 4, [&](int lane) { return lane * k; })  // a column of A
      .global_load(warps * k, 4, [](int) { return 0; })               // one element of B, for all lanes
      .global_store(warps, 4, [&](int lane) { return lane * n; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  add_product("one-row", block, launch, predict,
              {.measured = {{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}}});
}
// [step]

TEST_CASE("a column of A costs a sector for every lane, one element for all lanes a single one") {
  CHECK(model::sectors({4, [](int lane) { return lane * 512; }}) == 32);
  CHECK(model::sectors({4, [](int) { return 0; }}) == 1);
}
