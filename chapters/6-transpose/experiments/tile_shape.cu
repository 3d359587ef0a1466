// Tiles of 32 × 32 and of 64 × 64 words, with four or eight words a thread.
#include "problem.hpp"
#include "tile.hpp"

namespace {
const std::vector<std::vector<std::int64_t>> shapes{{64, 8}, {64, 4}, {32, 8}, {32, 4}};

template <int side, int words>
using Square = tile::Shape<side, side + 1, words>;

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out,
            const std::vector<std::int64_t>& shape) {
  const bool wide = shape[0] == 64;
  const bool eight = shape[1] == 8;
  if (wide && eight) return tile::launch<Square<64, 8>>(stream, in, out);
  if (wide) return tile::launch<Square<64, 4>>(stream, in, out);
  if (eight) return tile::launch<Square<32, 8>>(stream, in, out);
  tile::launch<Square<32, 4>>(stream, in, out);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns, const std::vector<std::int64_t>& shape) {
  return tile::predict(rows, columns, static_cast<int>(shape[0]) + 1);
}
}  // namespace

void weft::register_steps() {
  add_transpose("tile-shape", Axes().with_tuples("tile", shapes), launch, predict, Kind::experiment);
}
