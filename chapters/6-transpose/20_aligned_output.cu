// Each row of the output has tile boundaries of its own, where sectors begin: inside a row no sector is
// written by two blocks.
#include "aligned_output.hpp"
#include "problem.hpp"

namespace {
using namespace weft::aligned_output;

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  model::Prediction prediction;
  prediction.global_load(warps, 4, [](int lane) { return lane; })
      .shared_store(warps, 4, [](int lane) { return lane; })
      .global_store(warps / 4, 16, [](int lane) { return lane; });
  for (int word = 0; word < 4; ++word) {
    prediction.shared_load(warps / 4, 4, [=](int lane) { return word_index(sector + 4 * lane + word, 0); });
  }
  return prediction;
}
// [predict]
}  // namespace

void weft::register_steps() { add_transpose("aligned-output", block, launch, predict); }

TEST_CASE("one word more every 32 rows frees the reads of every fourth row from bank conflicts") {
  for (int word = 0; word < 4; ++word) {
    CHECK(model::shared_load_wavefronts(
              {4, [=](int lane) { return word_index(sector + 4 * lane + word, 0); }}) == 1);
    CHECK(model::shared_load_wavefronts(
              {4, [=](int lane) { return std::int64_t{tile_columns + 1} * (4 * lane + word); }}) == 4);
  }
}

TEST_CASE("where rows begin inside sectors, a row of a block begins with one") {
  constexpr std::int64_t rows = 8'191;
  alignas(sector * sizeof(float)) constexpr float words[sector]{};
  for (std::int64_t column = 0; column < std::int64_t{2} * sector; ++column) {
    const std::int64_t begin = column * rows;  // of the output row, in words
    const std::int64_t first =
        begin + tile_rows - words_into_sector(&words[begin % sector]);  // of the second block there
    CHECK(first % sector == 0);
  }
}
