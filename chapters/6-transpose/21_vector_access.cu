// Sixteen bytes at a time, both ways: a quarter of the requests for the same sectors.
#include "aligned_output.hpp"
#include "evict_last.hpp"
#include "problem.hpp"

namespace {
constexpr int patch = 4;
constexpr int tile = 64;
constexpr dim3 block{tile / patch, tile / patch};
constexpr int threads = block.x * block.y;
constexpr int blocks_per_multiprocessor = 6;

/// Where four words of a row lie in shared memory. A thread stores four words of a row and loads four rows of
/// a column: neighbours must find other banks both times, so four rows at a time trade places within the row.
__host__ __device__ constexpr int swizzled(int row, int four) { return four ^ (row / patch % 8); }

// [kernel]
__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void transpose_vector_access(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns) {
  const L2Policy keep = evict_last();
  __shared__ float4 fours[tile][tile / patch];
  const std::int64_t first_row = block_x() * tile;
  const std::int64_t first_column = block_y() * tile;
  const int x = threadIdx.x;
  const int y = threadIdx.y;

  const std::int64_t column = first_column + std::int64_t{patch} * x;
  float4 moved[tile / block.y] = {};
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    const int down = y + i * block.y;
    const std::int64_t row = first_row + down;
    if (row < rows && column < columns) {
      moved[i] = load_evict_last(reinterpret_cast<const float4*>(&in[row * columns + column]), keep);
    }
  }
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    const int down = y + i * block.y;
    fours[down][swizzled(down, x)] = moved[i];
  }
  __syncthreads();
  float4 read[patch];
#pragma unroll
  for (int k = 0; k < patch; ++k) {
    const int down = patch * x + k;
    read[k] = fours[down][swizzled(down, y)];
  }
  const std::int64_t out_row = first_column + std::int64_t{patch} * y;
  const std::int64_t out_column = first_row + std::int64_t{patch} * x;
  if (out_row >= columns || out_column >= rows) return;
  // __stwb is a plain store; behind a plain `=` the compiler takes some of the fours apart.
  auto* to = reinterpret_cast<float4*>(&out[out_row * rows + out_column]);
  __stwb(to, make_float4(read[0].x, read[1].x, read[2].x, read[3].x));
  __stwb(to + rows / patch, make_float4(read[0].y, read[1].y, read[2].y, read[3].y));
  __stwb(to + 2 * (rows / patch), make_float4(read[0].z, read[1].z, read[2].z, read[3].z));
  __stwb(to + 3 * (rows / patch), make_float4(read[0].w, read[1].w, read[2].w, read[3].w));
}
// [kernel]

// [launch]
/// Whether every row begins at a multiple of 16 bytes.
bool in_fours(const float* data, std::int64_t columns) {
  return reinterpret_cast<std::uintptr_t>(data) % sizeof(float4) == 0 && columns % patch == 0;
}

/// Rows that begin anywhere are what the step before is for.
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  if (!in_fours(in.data, in.columns) || !in_fours(out.data, out.columns)) {
    return aligned_output::launch(stream, in, out);
  }
  const dim3 grid = grid_over(in.rows, in.columns, {tile, tile});
  transpose_vector_access<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

// [predict]
model::Metrics predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / patch / model::warp_size;
  const auto x = [](int lane) { return lane % static_cast<int>(block.x); };
  const auto y = [](int lane) { return lane / static_cast<int>(block.x); };
  const auto four = [](int row, int column) { return row * tile / patch + swizzled(row, column); };
  return model::Prediction{}
      .global_load(warps, 16, [&](int lane) { return y(lane) * (columns / patch) + x(lane); })
      .shared_store(warps, 16, [&](int lane) { return four(y(lane), x(lane)); })
      .shared_load(warps, 16, [&](int lane) { return four(x(lane) * patch, y(lane)); })
      .global_store(warps, 16, [&](int lane) { return y(lane) * rows + x(lane); });
}
// [predict]

const Transpose step{"vector-access", block, launch, predict};
}  // namespace

TEST_CASE("four words a lane take no more than the four wavefronts of their 512 bytes, in and out") {
  const model::Metrics predicted = predict(1024, 1024);
  for (const auto& [wavefronts, requests] :
       {std::pair{model::Metric::shared_load_wavefronts, model::Metric::shared_load_requests},
        std::pair{model::Metric::shared_store_wavefronts, model::Metric::shared_store_requests}}) {
    CHECK(predicted[wavefronts] == 4 * predicted[requests]);
  }
}
