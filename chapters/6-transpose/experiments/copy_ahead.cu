// Each thread copies four words, and asks for 4, 2 or 1 of them before it stores the first.
#include "problem.hpp"

namespace {
const List<dim3> blocks{{32, 8}, {32, 32}};
const Numbers aheads{4, 2, 1};
constexpr int words = 4;

/// Without __restrict__, so that the compiler moves no load to before a store.
template <int ahead>
__global__ void copy_ahead(const float* in, float* out, std::int64_t rows, std::int64_t columns) {
  const std::int64_t row = block_y() * blockDim.y + threadIdx.y;
  const std::int64_t first_column = block_x() * blockDim.x * words + threadIdx.x;
#pragma unroll
  for (int first = 0; first < words; first += ahead) {
    float values[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const std::int64_t column = first_column + std::int64_t{first + k} * blockDim.x;
      if (row < rows && column < columns) values[k] = in[row * columns + column];
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const std::int64_t column = first_column + std::int64_t{first + k} * blockDim.x;
      if (row < rows && column < columns) out[row * columns + column] = values[k];
    }
  }
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, dim3 block, int ahead) {
  const dim3 grid = grid_over(blocks_over(in.columns, words), in.rows, block);
  const auto kernel = ahead == 4 ? copy_ahead<4> : ahead == 2 ? copy_ahead<2> : copy_ahead<1>;
  kernel<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  add_copy("copy-ahead", Axes(blocks).with("ahead", aheads), launch, predict, Kind::experiment);
}
