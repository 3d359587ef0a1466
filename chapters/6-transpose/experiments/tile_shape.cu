// Tiles of 32 or 64 rows and columns of words, with four or eight words a thread.
#include "problem.hpp"
#include "tile.hpp"

namespace {
/// Rows and columns of a tile, and the words of a thread.
const List<Numbers> shapes{{64, 64, 8}, {64, 64, 4}, {64, 32, 8}, {64, 32, 4},
                           {32, 64, 8}, {32, 32, 8}, {32, 32, 4}};

template <int rows, int columns, int words>
using Rectangle = tile::Shape<rows, columns, columns + 1, words>;

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, const Numbers& shape) {
  if (shape == shapes[0]) return tile::launch<Rectangle<64, 64, 8>>(stream, in, out);
  if (shape == shapes[1]) return tile::launch<Rectangle<64, 64, 4>>(stream, in, out);
  if (shape == shapes[2]) return tile::launch<Rectangle<64, 32, 8>>(stream, in, out);
  if (shape == shapes[3]) return tile::launch<Rectangle<64, 32, 4>>(stream, in, out);
  if (shape == shapes[4]) return tile::launch<Rectangle<32, 64, 8>>(stream, in, out);
  if (shape == shapes[5]) return tile::launch<Rectangle<32, 32, 8>>(stream, in, out);
  tile::launch<Rectangle<32, 32, 4>>(stream, in, out);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns, const Numbers& shape) {
  return tile::predict(rows, columns, static_cast<int>(shape[1]) + 1);
}
}  // namespace

void weft::register_steps() {
  add_transpose("tile-shape", Axes().with_tuples("tile", shapes), launch, predict, Kind::experiment);
}
