// Source 004 pads every tile by one word; that frees columns of 32 words, not of eight.
#include "problem.hpp"

namespace {
constexpr int tile = 128;
constexpr int depth = 8;

// [source]
/// Where lane l of a warp stores its element of A, with rows of 129 words (2_1) and of 128 (2_2).
constexpr int source_pitches[] = {tile + 1, tile};
constexpr int stored(int lane, int pitch) { return lane % depth * pitch + lane / depth; }
// [source]

// [repaired]
/// Eight rows, each four banks beside the one before it: with the four words of each, all 32 banks.
constexpr int repaired_pitch = tile + 4;
// [repaired]

int wavefronts(int pitch) {
  return model::shared_store_wavefronts({4, [&](int lane) { return stored(lane, pitch); }});
}
}  // namespace

TEST_CASE("source 004: one word of padding leaves four lanes to a bank, none leaves eight") {
  CHECK(wavefronts(source_pitches[0]) == 4);
  CHECK(wavefronts(source_pitches[1]) == 8);
}

TEST_CASE("repaired: four words of padding take one wavefront") { CHECK(wavefronts(repaired_pitch) == 1); }

TEST_CASE("source 004: in its first step, where the columns are 32 words high, one word is right") {
  const auto column = [](int lane) { return lane * (32 + 1); };
  CHECK(model::shared_store_wavefronts({4, column}) == 1);
}

void weft::register_steps() { tests_alone(); }
