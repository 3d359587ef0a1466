// Tiles of 64 × 64: a multiprocessor holds two or four of them, and a thread has four, eight or sixteen words
// between two barriers, all of them or half of them at a time. Each is changed alone.
#include "problem.hpp"
#include "room_for_blocks.hpp"
#include "step/step.hpp"

namespace {
constexpr int tile = 64;
constexpr int pitch = tile + 1;

constexpr std::int64_t bytes_of_tile = sizeof(float) * tile * pitch;

/// The block whose threads have so many words of a tile.
template <int words>
constexpr dim3 block_of{32, tile * tile / words / 32};
constexpr int threads_of(int words) { return tile * tile / words; }

/// The most blocks that any variant with so many words holds: 2048 threads have room.
constexpr int most_blocks(int words) { return words == 4 ? 2 : 4; }

constexpr bool holds(int words, int blocks) {
  const int registers = model::registers_per_sm / threads_of(words) / most_blocks(words);
  return room::holds(blocks, room::usual, bytes_of_tile, threads_of(words), registers);
}

/// A thread asks for its words in `portions`, the next when the one before has arrived. The loop over them is
/// not unrolled, for else the compiler puts all loads first.
template <int words, int portions>
__global__ __launch_bounds__(threads_of(words), most_blocks(words)) void transpose_held(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns) {
  constexpr dim3 block = block_of<words>;
  constexpr int together = tile / static_cast<int>(block.y) / portions;  // rows of a thread in a portion
  __shared__ float held[tile][pitch];
  const std::int64_t first_row = block_y() * tile;
  const std::int64_t first_column = block_x() * tile;

#pragma unroll 1
  for (int portion = 0; portion < portions; ++portion) {
    const int top = threadIdx.y + portion * together * block.y;
    float moved[together][tile / block.x] = {};
#pragma unroll
    for (int i = 0; i < together; ++i) {
#pragma unroll
      for (int j = 0; j < tile / block.x; ++j) {
        const std::int64_t row = first_row + top + std::int64_t{i} * block.y;
        const std::int64_t column = first_column + threadIdx.x + std::int64_t{j} * block.x;
        if (row < rows && column < columns) moved[i][j] = in[row * columns + column];
      }
    }
#pragma unroll
    for (int i = 0; i < together; ++i) {
#pragma unroll
      for (int j = 0; j < tile / block.x; ++j) {
        held[top + i * block.y][threadIdx.x + j * block.x] = moved[i][j];
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
#pragma unroll
    for (int j = 0; j < tile / block.x; ++j) {
      const int x = threadIdx.x + j * block.x;
      const int y = threadIdx.y + i * block.y;
      if (first_row + x < rows && first_column + y < columns) {
        out[(first_column + y) * rows + first_row + x] = held[x][y];
      }
    }
  }
}

template <int words, int blocks, int portions>
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  static_assert(holds(words, blocks));
  const auto kernel = transpose_held<words, portions>;
  constexpr int bytes = room::bytes_beside(bytes_of_tile, blocks, room::usual);
  room::ask(kernel, bytes, room::usual);
  const dim3 grid = grid_over(in.columns, in.rows, {tile, tile});
  kernel<<<grid, block_of<words>, bytes, stream>>>(in.data, out.data, in.rows, in.columns);
}

/// @return nothing where it is not to be made: four words in four blocks are too many threads
Launch<float> launch_of(int words, int blocks, int portions) {
  if (portions == 2) {
    if (blocks == 2 || words == 4) return {};
    return words == 8 ? launch<8, 4, 2> : launch<16, 4, 2>;
  }
  if (words == 4) return blocks == 2 ? Launch<float>(launch<4, 2, 1>) : Launch<float>();
  if (words == 8) return blocks == 2 ? launch<8, 2, 1> : launch<8, 4, 1>;
  return blocks == 2 ? launch<16, 2, 1> : launch<16, 4, 1>;
}

model::Prediction predict(const Shape& shape) {
  const std::int64_t warps = shape[0] * shape[1] / model::warp_size;
  const auto a_row = [](int lane) { return lane; };
  return model::Prediction{}
      .global_load(warps, 4, a_row)
      .shared_store(warps, 4, a_row)
      .shared_load(warps, 4, [](int lane) { return lane * pitch; })
      .global_store(warps, 4, a_row);
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes()
                        .with("words", {8, 16, 4})
                        .with("blocks", {4, 2})
                        .with("portions", {1, 2})
                        .with("carve-out", {room::usual});
  for (const Setting& setting : axes.settings()) {
    const Launch<float> launch =
        launch_of(setting.number("words"), setting.number("blocks"), setting.number("portions"));
    if (!launch) continue;
    Variant made = transpose_variant("held-tiles", setting, launch);
    made.kind = Kind::experiment;
    made.measured = {{8192, 8192}};
    made.counted = {{1024, 1024}};
    made.predict = predict;
    add(std::move(made));
  }
}
