// The tile with rows of 33 to 65 words: nothing changes but the banks in which the words of a column lie.
#include "problem.hpp"
#include "tile.hpp"

namespace {
const Numbers pitches{33, 34, 36, 40, 48, 64, 65};

template <int pitch>
using Rows = tile::Shape<32, 32, pitch, 4>;

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, int pitch) {
  switch (pitch) {
    case 33:
      return tile::launch<Rows<33>>(stream, in, out);
    case 34:
      return tile::launch<Rows<34>>(stream, in, out);
    case 36:
      return tile::launch<Rows<36>>(stream, in, out);
    case 40:
      return tile::launch<Rows<40>>(stream, in, out);
    case 48:
      return tile::launch<Rows<48>>(stream, in, out);
    case 64:
      return tile::launch<Rows<64>>(stream, in, out);
    default:
      return tile::launch<Rows<65>>(stream, in, out);
  }
}
}  // namespace

void weft::register_steps() {
  add_transpose("tile-pitch", Axes().with("pitch", pitches), launch, tile::predict, Kind::experiment);
}

TEST_CASE("rows of 34, 36, 40, 48 and 64 words take 2, 4, 8, 16 and 32 wavefronts, odd ones 1") {
  for (const std::int64_t pitch : pitches) {
    const int expected = pitch % 2 == 1 ? 1 : static_cast<int>(pitch) - 32;
    CHECK(model::shared_load_wavefronts({4, [&](int lane) { return lane * pitch; }}) == expected);
  }
}
