// Sixteen bytes at a time, both ways: a quarter of the requests for the same sectors.
#include "aligned_output.hpp"
#include "fours.hpp"
#include "kernel/evict_last.hpp"
#include "problem.hpp"

namespace {
using namespace weft::fours;

// [kernel]
__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void transpose_vector_access(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns) {
  const L2Policy keep = evict_last();
  __shared__ __align__(sizeof(float4)) float words[tile * tile];
  const std::int64_t first_row = block_x() * tile;
  const std::int64_t first_column = block_y() * tile;
  const int x = threadIdx.x * width;
  const int y = threadIdx.y;

  float4 moved[tile / block.y] = {};
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    const std::int64_t row = first_row + y + std::int64_t{i} * block.y;
    const std::int64_t column = first_column + x;
    if (row < rows && column < columns) {
      moved[i] = load_evict_last(reinterpret_cast<const float4*>(&in[row * columns + column]), keep);
    }
  }
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    *reinterpret_cast<float4*>(&words[word_index(y + i * block.y, x)]) = moved[i];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    const int down = y + i * block.y;
    const std::int64_t row = first_column + down;
    const std::int64_t column = first_row + x;
    const float four[width] = {words[word_index(x, down)], words[word_index(x + 1, down)],
                               words[word_index(x + 2, down)], words[word_index(x + 3, down)]};
    if (row < columns && column < rows) {
      // __stwb is a plain store, and always one of sixteen bytes.
      __stwb(reinterpret_cast<float4*>(&out[row * rows + column]),
             make_float4(four[0], four[1], four[2], four[3]));
    }
  }
}
// [kernel]

// [launch]
/// Rows that begin anywhere are what the step before is for.
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  if (!in_fours(in.data, in.columns) || !in_fours(out.data, out.columns)) {
    return aligned_output::launch(stream, in, out);
  }
  const dim3 grid = grid_over(in.rows, in.columns, {tile, tile});
  transpose_vector_access<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]
}  // namespace

void weft::register_steps() { add_transpose("vector-access", block, launch, predict); }

TEST_CASE("fours are stored in the four wavefronts of their 512 bytes, and a column is read in two") {
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::shared_store_wavefronts] ==
          4 * counted[model::Metric::shared_store_requests]);
    CHECK(counted[model::Metric::shared_load_wavefronts] == 2 * counted[model::Metric::shared_load_requests]);
  });
}
