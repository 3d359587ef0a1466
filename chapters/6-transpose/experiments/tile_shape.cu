// Tiles of 32 or 64 rows and columns of words, with four or eight words a thread. Some blocks have several
// tiles.
#include "problem.hpp"
#include "tile.hpp"

namespace {
/// Rows and columns of a tile, and the words of a thread; then, where it is not 1, how many tiles a block has
/// at a time, in how many portions a thread asks for its words, and how many such tiles follow each other.
const List<Numbers> shapes{{64, 64, 8},    {64, 64, 4},    {64, 32, 8},       {64, 32, 4},
                           {32, 64, 8},    {32, 32, 8},    {32, 32, 4},       {32, 32, 4, 2},
                           {32, 32, 4, 4}, {64, 64, 8, 2}, {64, 64, 8, 1, 2}, {64, 64, 4, 1, 1, 2}};

template <int rows, int columns, int words>
using Rectangle = tile::Shape<rows, columns, columns + 1, words>;

template <typename Shape, int tiles>
constexpr int threads_of = Shape::threads * tiles;

/// A block transposes `tiles` tiles that lie beside each other in the input, each with threads of its own; at
/// the barrier all wait for each other. A thread asks for its words in `portions`, the next when the one
/// before has arrived. Then the block goes on to the tiles beside these, `turns` times in all. No loop over
/// portions or turns is unrolled, for else the compiler puts loads first.
template <typename Shape, int tiles, int portions, int turns>
__global__ __launch_bounds__(
    threads_of<Shape, tiles>,
    2048 / threads_of<Shape, tiles>) void transpose_several(const float* __restrict__ in,
                                                            float* __restrict__ out, std::int64_t rows,
                                                            std::int64_t columns) {
  constexpr int down = Shape::rows;
  constexpr int across = Shape::columns;
  constexpr dim3 block = Shape::block;
  constexpr int together = down / static_cast<int>(block.y) / portions;  // rows of a thread in a portion
  __shared__ float words[tiles][down][Shape::pitch];
  const int tile = threadIdx.y / block.y;
  const int first_y = threadIdx.y % block.y;
  const std::int64_t first_row = block_y() * down;

#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    const std::int64_t first_column = ((block_x() * turns + turn) * tiles + tile) * across;
    if (turn > 0) __syncthreads();  // the tile is not needed any more
#pragma unroll 1
    for (int portion = 0; portion < portions; ++portion) {
      const int top = first_y + portion * together * block.y;
      float moved[together][across / block.x] = {};
#pragma unroll
      for (int i = 0; i < together; ++i) {
#pragma unroll
        for (int j = 0; j < across / block.x; ++j) {
          const std::int64_t row = first_row + top + std::int64_t{i} * block.y;
          const std::int64_t column = first_column + threadIdx.x + std::int64_t{j} * block.x;
          if (row < rows && column < columns) moved[i][j] = in[row * columns + column];
        }
      }
#pragma unroll
      for (int i = 0; i < together; ++i) {
#pragma unroll
        for (int j = 0; j < across / block.x; ++j) {
          words[tile][top + i * block.y][threadIdx.x + j * block.x] = moved[i][j];
        }
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < across / block.y; ++i) {
#pragma unroll
      for (int j = 0; j < down / block.x; ++j) {
        const int x = threadIdx.x + j * block.x;
        const int y = first_y + i * block.y;
        if (first_row + x < rows && first_column + y < columns) {
          out[(first_column + y) * rows + first_row + x] = words[tile][x][y];
        }
      }
    }
  }
}

template <typename Shape, int tiles, int portions, int turns>
void launch_several(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  constexpr dim3 block{Shape::block.x, Shape::block.y * tiles};
  const dim3 grid = grid_over(in.columns, in.rows, {Shape::columns * tiles * turns, Shape::rows});
  transpose_several<Shape, tiles, portions, turns>
      <<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, const Numbers& shape) {
  if (shape == shapes[0]) return tile::launch<Rectangle<64, 64, 8>>(stream, in, out);
  if (shape == shapes[1]) return tile::launch<Rectangle<64, 64, 4>>(stream, in, out);
  if (shape == shapes[2]) return tile::launch<Rectangle<64, 32, 8>>(stream, in, out);
  if (shape == shapes[3]) return tile::launch<Rectangle<64, 32, 4>>(stream, in, out);
  if (shape == shapes[4]) return tile::launch<Rectangle<32, 64, 8>>(stream, in, out);
  if (shape == shapes[5]) return tile::launch<Rectangle<32, 32, 8>>(stream, in, out);
  if (shape == shapes[6]) return tile::launch<Rectangle<32, 32, 4>>(stream, in, out);
  if (shape == shapes[7]) return launch_several<Rectangle<32, 32, 4>, 2, 1, 1>(stream, in, out);
  if (shape == shapes[8]) return launch_several<Rectangle<32, 32, 4>, 4, 1, 1>(stream, in, out);
  if (shape == shapes[9]) return launch_several<Rectangle<64, 64, 8>, 2, 1, 1>(stream, in, out);
  if (shape == shapes[10]) return launch_several<Rectangle<64, 64, 8>, 1, 2, 1>(stream, in, out);
  launch_several<Rectangle<64, 64, 4>, 1, 1, 2>(stream, in, out);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns, const Numbers& shape) {
  return tile::predict(rows, columns, static_cast<int>(shape[1]) + 1);
}
}  // namespace

void weft::register_steps() {
  add_transpose("tile-shape", Axes().with_tuples("tile", shapes), launch, predict, Kind::experiment);
}
