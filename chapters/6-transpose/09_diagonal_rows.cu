// The plain transpose with its blocks handed out along diagonals: neighbours share neither row nor column.
#include <algorithm>
#include <initializer_list>

#include "diagonal.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};

// [kernel]
__global__ void transpose_diagonal_rows(const float* __restrict__ in, float* __restrict__ out,
                                        std::int64_t rows, std::int64_t columns, Blocks blocks) {
  const uint2 place = diagonal(blockIdx.x, blocks);
  const std::int64_t row = std::int64_t{place.y} * blockDim.y + threadIdx.y;
  const std::int64_t column = std::int64_t{place.x} * blockDim.x + threadIdx.x;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const Blocks blocks = blocks_over(in.columns, in.rows, block);
  const dim3 grid{blocks.across * blocks.down};
  transpose_diagonal_rows<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns, blocks);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [&](int lane) { return lane * rows; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_transpose("diagonal-rows", block, launch, predict); }
// [step]

TEST_CASE("the diagonal order visits every block of any grid once") {
  for (const Blocks blocks :
       std::initializer_list<Blocks>{{1, 1}, {1, 7}, {7, 1}, {4, 4}, {4, 6}, {6, 4}, {5, 7}, {33, 8}}) {
    const unsigned count = blocks.across * blocks.down;
    List<int> visits(count);
    for (unsigned n = 0; n < count; ++n) {
      const uint2 place = diagonal(n, blocks);
      REQUIRE(place.x < blocks.across);
      REQUIRE(place.y < blocks.down);
      ++visits[place.y * blocks.across + place.x];
    }
    CHECK(std::ranges::all_of(visits, [](int times) { return times == 1; }));
  }
}

TEST_CASE("neighbours of the diagonal order share neither a row nor a column of blocks") {
  constexpr Blocks blocks{32, 128};
  for (unsigned n = 0; n + 1 < blocks.across * blocks.down; ++n) {
    CHECK(diagonal(n, blocks).y != diagonal(n + 1, blocks).y);
    if ((n + 1) % blocks.down != 0) CHECK(diagonal(n, blocks).x != diagonal(n + 1, blocks).x);
  }
}
