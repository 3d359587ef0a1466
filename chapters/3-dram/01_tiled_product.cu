// A matrix product in tiles of 2 × 2 elements, small enough to follow each load to its channel and its bank.
#include "problem.hpp"

namespace {
constexpr int tile = 2;
constexpr dim3 block{tile, tile};

// [kernel]
template <typename Matrix>
__global__ void multiply_tiles(Matrix m, Matrix n, float* __restrict__ p, std::int64_t width) {
  __shared__ float tile_m[tile][tile];
  __shared__ float tile_n[tile][tile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = block_y() * tile + y;
  const std::int64_t column = block_x() * tile + x;
  float sum = 0;
  for (std::int64_t first = 0; first < width; first += tile) {  // a phase
    tile_m[y][x] = row < width && first + x < width ? m[row * width + first + x] : 0;
    tile_n[y][x] = first + y < width && column < width ? n[(first + y) * width + column] : 0;
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += tile_m[y][k] * tile_n[k][x];
    __syncthreads();
  }
  if (row < width && column < width) p[row * width + column] = sum;
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const SquareMatrices& all) {
  const dim3 grid = grid_over(all.width, all.width, block);
  multiply_tiles<<<grid, block, 0, stream>>>(all.m, all.n, all.p, all.width);
}
// [launch]

// [predict]
/// A block is one warp, of which four lanes take part.
model::Prediction predict(std::int64_t width) {
  const std::int64_t blocks = width / tile * (width / tile);
  const std::int64_t loads = blocks * (width / tile);  // a block loads once in each phase
  const auto lanes = [](auto element) {
    return [=](int lane) { return lane < tile * tile ? model::Element(element(lane)) : model::Element(); };
  };
  const auto of_tile = lanes([=](int lane) { return lane / tile * width + lane % tile; });
  return model::Prediction{}
      .global_load(loads, 4, of_tile)  // M
      .global_load(loads, 4, of_tile)  // N
      .shared_store(2 * loads, 4, lanes([](int lane) { return lane; }))
      .shared_load(loads, 8, lanes([](int lane) { return lane / tile; }))  // a row of M's tile at once
      .shared_load(2 * loads, 4, lanes([](int lane) { return lane % tile; }))
      .global_store(blocks, 4, of_tile);
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_product("tiled-product", launch, predict); }
// [step]

TEST_SUITE("device") {
  // [check]
  TEST_CASE("each thread loads the elements that the model names, phase by phase") {
    for (const std::int64_t width : {2, 4, 8, 16}) {
      const Notes notes = noted_loads(width, tile, [=](const Noted& m, const Noted& n, float* p) {
        multiply_tiles<<<grid_over(width, width, block), block>>>(m, n, p, width);
      });
      const model::TiledProduct product{width, tile};
      std::size_t next = 0;
      for (std::int64_t group = 0; group < product.phases() * product.phases(); ++group) {
        const std::int64_t block_row = group / product.phases(), block_column = group % product.phases();
        for (std::int64_t thread = 0; thread < product.tile * product.tile; ++thread) {
          for (std::int64_t phase = 0; phase < product.phases(); ++phase, ++next) {
            CHECK(notes.of_m[next] == product.of_m(block_row, phase, thread / tile, thread % tile));
            CHECK(notes.of_n[next] == product.of_n(block_column, phase, thread / tile, thread % tile));
          }
        }
      }
      CHECK(next == notes.of_m.size());
    }
  }
  // [check]

  TEST_CASE("4 × 4: M is loaded from two channels in a phase; 8 × 8: from one; N from all four") {
    for (const auto& [width, of_m] : {std::pair<std::int64_t, std::int64_t>{4, 2}, {8, 1}}) {
      const Notes notes = noted_loads(width, tile, [width = width](const Noted& m, const Noted& n, float* p) {
        multiply_tiles<<<grid_over(width, width, block), block>>>(m, n, p, width);
      });
      for (std::int64_t phase = 0; phase < width / tile; ++phase) {
        CHECK(channels_of(notes.of_m, width / tile, phase) == of_m);
        CHECK(channels_of(notes.of_n, width / tile, phase) == 4);
      }
    }
  }
}
