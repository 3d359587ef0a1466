// The textbook's loop on matrices whose rows lie some floats further apart than they are long.
#include "check/buffer.hpp"
#include "model/l1.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr dim3 block{32, 32};

__global__ void sgemm_padded_rows(int m, int n, int k, float alpha, const float* __restrict__ a,
                                  std::int64_t lda, const float* __restrict__ b, std::int64_t ldb, float beta,
                                  float* __restrict__ c, std::int64_t ldc) {
  const std::int64_t row = block_x() * blockDim.x + threadIdx.x;
  const std::int64_t column = block_y() * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * lda + i] * b[i * ldb + column];
  update(&c[row * ldc + column], alpha, sum, beta);
}

void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.m, p.n, block);
  sgemm_padded_rows<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c,
                                                p.ldc);
}

// [predict]
template <int gap>
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / model::warp_size;
  const std::int64_t rows_of_warps = m / model::warp_size;
  constexpr std::int64_t first_element = guard_bytes / 4;  // behind bytes that nobody may touch
  const auto first_of_warp = [&](std::int64_t warp) {
    return first_element + warp / k * model::warp_size * (k + gap) + warp % k;
  };
  const auto column_of_a = [&](int lane) { return lane * (k + gap); };
  const auto one_of_b = [](int) { return 0; };
  return model::Prediction{}
      .global_load(warps * k, 4, column_of_a, rows_of_warps * k, first_of_warp)
      .global_load(warps * k, 4, one_of_b, 1, [](auto) { return 0; })
      .global_store(warps, 4, [&](int lane) { return lane * (n + gap); })
      .launch(warps, 2);
}
// [predict]

// [padded]
/// Registers the variant whose matrices have so many floats between their rows.
template <int gap>
void add_padded(const List<Shape>& measured) {
  const Parameters parameters{{"block", {block.x, block.y}}, {"gap", {gap}}};
  add(product_variant("padded-rows", {parameters, gap == 1}, launch, predict<gap>,
                      {.measured = measured, .gap = gap}));
}
// [padded]
}  // namespace

// [step]
void weft::register_steps() {
  add_padded<1>({{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}});
  add_padded<8>({{2048, 2048, 2048}});
  add_padded<16>({{2048, 2048, 2048}});
  add_padded<32>({{2048, 2048, 2048}});
}
// [step]

// [test]
TEST_CASE("one float between the rows: as many sectors, and a third of the wavefronts or less") {
  const auto column = [](int pitch) { return model::Lanes(4, [=](int lane) { return lane * pitch; }); };
  for (const int pitch : {2048, 2049, 2056, 2064, 2080}) CHECK(model::sectors(column(pitch)) == 32);
  CHECK(model::data_wavefronts(column(2048)) == 32);
  CHECK(model::data_wavefronts(column(2049)) == 1);
  CHECK(model::data_wavefronts(column(2056)) == 8);
  CHECK(model::data_wavefronts(column(2064)) == 16);
  CHECK(model::data_wavefronts(column(2080)) == 32);
  CHECK(model::tag_wavefronts(column(2049)) < 12);
}
// [test]
