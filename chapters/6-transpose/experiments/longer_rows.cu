// Reading columns of a matrix whose rows are 1, 8 or 32 floats longer: other banks of the L1, or the same.
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};
constexpr int words = 4;
/// How much longer a row is. If another number follows, a thread has four words, and asks for so many of them
/// before it stores the first.
const List<Numbers> paddings{{1}, {8}, {32}, {1, 1}, {1, 4}, {32, 1}, {32, 4}};

__global__ void transpose_longer_rows(const float* __restrict__ in, float* __restrict__ out,
                                      std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
  const std::int64_t row = block_x() * blockDim.x + threadIdx.x;
  const std::int64_t column = block_y() * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[column * rows + row] = in[row * pitch + column];
}

/// Without __restrict__, so that the compiler moves no load to before a store.
template <int ahead>
__global__ void transpose_four_words(const float* in, float* out, std::int64_t rows, std::int64_t columns,
                                     std::int64_t pitch) {
  const std::int64_t first_row = block_x() * blockDim.x * words + threadIdx.x;
  const std::int64_t column = block_y() * blockDim.y + threadIdx.y;
#pragma unroll
  for (int first = 0; first < words; first += ahead) {
    float values[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const std::int64_t row = first_row + std::int64_t{first + k} * blockDim.x;
      if (row < rows && column < columns) values[k] = in[row * pitch + column];
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const std::int64_t row = first_row + std::int64_t{first + k} * blockDim.x;
      if (row < rows && column < columns) out[column * rows + row] = values[k];
    }
  }
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, const Numbers& padding) {
  const std::int64_t pitch = in.columns + padding[0];
  if (padding.size() > 1) {
    const dim3 grid = grid_over(blocks_over(in.rows, words), in.columns, block);
    const auto kernel = padding[1] == 4 ? transpose_four_words<4> : transpose_four_words<1>;
    kernel<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns, pitch);
    return;
  }
  const dim3 grid = grid_over(in.rows, in.columns, block);
  transpose_longer_rows<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns, pitch);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns, const Numbers& padding) {
  const std::int64_t warps = rows * columns / model::warp_size;
  const std::int64_t pitch = columns + padding[0];
  return model::Prediction{}
      .global_load(warps, 4, [&](int lane) { return lane * pitch; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  add_padded_transpose("longer-rows", Axes(block).with_tuples("padding", paddings), launch, predict,
                       Kind::experiment);
}
