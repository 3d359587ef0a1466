// The row reader along diagonals, but four blocks stay together: below each other, where they write the same
// lines, or beside each other, where they do not.
#include "diagonal.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};
/// Blocks of a group below each other and beside each other. Four below each other are 32 rows of the input:
/// a line in each row of the output.
const List<Numbers> groups_of{{4, 1}, {1, 4}};

template <int down, int across>
__global__ void transpose_grouped_diagonal(const float* __restrict__ in, float* __restrict__ out,
                                           std::int64_t rows, std::int64_t columns, Blocks groups) {
  const unsigned within = blockIdx.x % (down * across);
  const uint2 place = diagonal(blockIdx.x / (down * across), groups);
  const std::int64_t block_down = std::int64_t{place.y} * down + within % down;
  const std::int64_t block_right = std::int64_t{place.x} * across + within / down;
  const std::int64_t row = block_down * blockDim.y + threadIdx.y;
  const std::int64_t column = block_right * blockDim.x + threadIdx.x;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

template <int down, int across>
void launch_groups(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const Blocks groups = blocks_over(in.columns, in.rows, {block.x * across, block.y * down});
  const std::int64_t grid = std::int64_t{groups.across} * groups.down * down * across;
  if (grid > most_blocks_in_x) refuse("the grid has more than 2^31 - 1 blocks");
  transpose_grouped_diagonal<down, across>
      <<<static_cast<unsigned>(grid), block, 0, stream>>>(in.data, out.data, in.rows, in.columns, groups);
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, const Numbers& group) {
  if (group == groups_of[0]) return launch_groups<4, 1>(stream, in, out);
  launch_groups<1, 4>(stream, in, out);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [&](int lane) { return lane * rows; });
}
}  // namespace

void weft::register_steps() {
  add_transpose("grouped-diagonal", Axes(block).with_tuples("group", groups_of), launch, predict,
                Kind::experiment);
}
