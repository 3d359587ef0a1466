// Source 004 counts whole tiles alone, and lets the loop run along the leading dimension.
#include "product.hpp"
#include "step/mismatch.hpp"

namespace {
constexpr int tile = 32;
constexpr dim3 block{tile, tile};

// [source]
__global__ void source_tile(const float* a, const float* b, float* c, std::int64_t lda, std::int64_t ldb,
                            std::int64_t ldc) {
  __shared__ float tile_a[tile][tile + 1];
  __shared__ float tile_b[tile][tile + 1];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = std::int64_t{blockIdx.y} * tile + y;
  const std::int64_t column = std::int64_t{blockIdx.x} * tile + x;
  float sum = 0;
  for (std::int64_t first = 0; first < lda; first += tile) {
    tile_a[x][y] = a[row * lda + first + x];
    tile_b[y][x] = b[(first + y) * ldb + column];
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += tile_a[i][y] * tile_b[i][x];
    __syncthreads();
  }
  c[row * ldc + column] = sum;
}

void launch_source(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid(p.n / tile, p.m / tile);
  source_tile<<<grid, block, 0, stream>>>(p.a, p.b, p.c, p.lda, p.ldb, p.ldc);
}
// [source]

// [repaired]
__global__ void repaired_tile(int m, int n, int k, const float* a, const float* b, float* c, std::int64_t lda,
                              std::int64_t ldb, std::int64_t ldc) {
  __shared__ float tile_a[tile][tile + 1];
  __shared__ float tile_b[tile][tile + 1];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = block_y() * tile + y;
  const std::int64_t column = block_x() * tile + x;
  float sum = 0;
  for (int first = 0; first < k; first += tile) {
    tile_a[x][y] = row < m && first + x < k ? a[row * lda + first + x] : 0;
    tile_b[y][x] = first + y < k && column < n ? b[(first + y) * ldb + column] : 0;
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += tile_a[i][y] * tile_b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * ldc + column] = sum;
}

void launch_repaired(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.n, p.m, block);
  repaired_tile<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.a, p.b, p.c, p.lda, p.ldb, p.ldc);
}
// [repaired]

std::optional<Mismatch> wrong(const Launch& launch, const Shape& shape, int gap) {
  Product product(shape, {.gap = gap}, launch, {});
  product.fill(2);
  product.poison(nullptr);
  product.launch(nullptr);
  cuda_check(cudaGetLastError());
  cuda_check(cudaDeviceSynchronize());
  return product.verify();
}
}  // namespace

TEST_SUITE("device") {
  TEST_CASE("source 004: right where the tile divides everything and nothing lies between the rows") {
    CHECK_FALSE(wrong(launch_source, {64, 96, 32}, 0));
  }

  TEST_CASE("source 004: what no whole tile covers is never written") {
    const std::optional<Mismatch> mismatch = wrong(launch_source, {65, 64, 64}, 0);
    const std::string said = mismatch ? mismatch->describe() : "";
    CHECK(said.starts_with("C[64, 0]: "));
    CHECK(said.find("never written") != std::string::npos);
  }

  TEST_CASE("source 004: in a larger matrix, the space between its rows is multiplied, too") {
    CHECK(wrong(launch_source, {64, 64, 64}, 32));
  }

  TEST_CASE("repaired: any size, and any distance of the rows") {
    for (const Shape& shape : List<Shape>{{64, 96, 32}, {65, 64, 64}, {1, 33, 31}, {63, 65, 100}}) {
      for (const int gap : {0, 1, 32}) CHECK_FALSE(wrong(launch_repaired, shape, gap));
    }
  }
}

void weft::register_steps() { tests_alone(); }
