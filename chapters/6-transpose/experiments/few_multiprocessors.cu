// The row reader on all or half of the multiprocessors, on matrices that fit into the L2 and on larger ones.
#include "device/attribute.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr int side = 32;
constexpr dim3 block{side, side};  // that stays: one to a multiprocessor

__global__ void transpose_few_multiprocessors(const float* __restrict__ in, float* __restrict__ out,
                                              std::int64_t rows, std::int64_t columns) {
  const std::int64_t across = (columns + side - 1) / side;
  const std::int64_t tiles = across * ((rows + side - 1) / side);
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t row = tile / across * side + threadIdx.y;
    const std::int64_t column = tile % across * side + threadIdx.x;
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
  }
}

/// @param part of the multiprocessors that has a block: 2 is every other one
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, int part) {
  const auto blocks = static_cast<unsigned>(max(1, multiprocessors() / part));
  transpose_few_multiprocessors<<<blocks, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("part", {1, 2}).settings()) {
    Variant made = transpose_variant("few-multiprocessors", setting, launch);
    made.kind = Kind::experiment;
    made.l2 = L2::warm;
    made.measured = {{2048, 2048}, {8192, 8192}};
    add(std::move(made));
  }
}
