// Blocks that follow each other along the rows of the input or of the output, with accesses of sixteen bytes
// as in the step vector-access or of four as in evict-last.
#include "aligned_output.hpp"
#include "orders.hpp"
#include "step/step.hpp"

namespace {
using namespace weft::orders;

constexpr int tile = fours::tile;
constexpr int pitch = tile + 1;
constexpr dim3 block_of_words{32, 16};

/// The step evict-last in either order.
template <Order order>
__global__ __launch_bounds__(fours::threads, fours::blocks_per_multiprocessor) void transpose_words(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns) {
  const L2Policy keep = evict_last();
  __shared__ float words[tile][pitch];
  const std::int64_t top = first_row<order>();
  const std::int64_t left = first_column<order>();

  float moved[tile / block_of_words.y][tile / block_of_words.x] = {};
#pragma unroll
  for (int i = 0; i < tile / block_of_words.y; ++i) {
#pragma unroll
    for (int j = 0; j < tile / block_of_words.x; ++j) {
      const int x = threadIdx.x + j * block_of_words.x;
      const int y = threadIdx.y + i * block_of_words.y;
      const std::int64_t row = top + y;
      const std::int64_t column = left + x;
      if (row < rows && column < columns) moved[i][j] = load_evict_last(&in[row * columns + column], keep);
    }
  }
#pragma unroll
  for (int i = 0; i < tile / block_of_words.y; ++i) {
#pragma unroll
    for (int j = 0; j < tile / block_of_words.x; ++j) {
      words[threadIdx.y + i * block_of_words.y][threadIdx.x + j * block_of_words.x] = moved[i][j];
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < tile / block_of_words.y; ++i) {
#pragma unroll
    for (int j = 0; j < tile / block_of_words.x; ++j) {
      const int x = threadIdx.x + j * block_of_words.x;
      const int y = threadIdx.y + i * block_of_words.y;
      if (top + x < rows && left + y < columns) out[(left + y) * rows + top + x] = words[x][y];
    }
  }
}

template <Order order>
void launch_words(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_of(order, in.rows, in.columns);
  transpose_words<order><<<grid, block_of_words, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}

/// Rows that begin anywhere are what `aligned-output` is for.
template <Order order>
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  if (!fours::in_fours(in.data, in.columns) || !fours::in_fours(out.data, out.columns)) {
    return aligned_output::launch(stream, in, out);
  }
  launch_fours<order>(stream, in, out);
}

/// The order of blocks changes no request.
model::Prediction predict_words(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .shared_store(warps, 4, [](int lane) { return lane; })
      .shared_load(warps, 4, [](int lane) { return lane * pitch; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("order", {along_input, along_output}).with("width", {fours::width, 1});
  for (const Setting& setting : axes.settings()) {
    const bool in_fours = setting.number("width") == fours::width;
    Variant made = setting.number("order") == along_input
                       ? transpose_variant("input-order", setting,
                                           in_fours ? launch<along_input> : launch_words<along_input>)
                       : transpose_variant("input-order", setting,
                                           in_fours ? launch<along_output> : launch_words<along_output>);
    made.kind = Kind::experiment;
    made.checked = {{64, 64}, {132, 124}, {576, 576}, {67, 130}};
    made.checked_large = {};
    made.measured = {{8192, 8192}, {16'384, 16'384}};
    made.counted = {{1024, 1024}};
    made.predict = [=](const Shape& shape) {
      return in_fours ? fours::predict(shape[0], shape[1]) : predict_words(shape[0], shape[1]);
    };
    add(std::move(made));
  }
}
