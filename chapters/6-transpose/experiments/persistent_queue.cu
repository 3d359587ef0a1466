// Blocks that stay, as in `persistent`, but they take their tiles from one queue.
#include <algorithm>

#include "aligned_output.hpp"
#include "kernel/evict_last.hpp"
#include "kernel/tma.hpp"  // sm_90a
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr int patch = 4;
constexpr int tile = 64;
constexpr dim3 block{32, 8};
constexpr int threads = block.x * block.y;
constexpr int blocks_per_multiprocessor = 3;
constexpr int stages = 2;
constexpr int boxes = tile / box_columns;
constexpr int fours_in_row = box_columns / patch;

/// A tile as it arrives: two boxes of 64 rows, each row eight times four words.
struct Tile {
  float4 fours[boxes][tile][fours_in_row];
};

/// Where the swizzle of the hardware puts four words of a row.
__host__ __device__ constexpr int swizzled(int row, int four) { return four ^ (row % fours_in_row); }

__device__ unsigned next_tile;  // 0 between launches

/// The next tile of the queue. Each block asks until it gets none: the last to get none makes the queue new.
__device__ unsigned take_tile(unsigned tiles) {
  const unsigned n = atomicAdd(&next_tile, 1);
  if (n == tiles + gridDim.x - 1) next_tile = 0;
  return n;
}

__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void transpose_persistent_queue(
    const __grid_constant__ CUtensorMap in, float* __restrict__ out, std::int64_t rows, std::int64_t columns,
    unsigned tiles_down, unsigned tiles) {
  __shared__ alignas(box_alignment) Tile arrived[stages];
  __shared__ TransferBarrier arrival[stages];
  __shared__ unsigned number[stages];
  const bool asks = threadIdx.x == 0 && threadIdx.y == 0;

  bool empty = false;
  const auto ask = [&](int stage) {
    const unsigned n = empty ? tiles : take_tile(tiles);
    number[stage] = n;
    empty = n >= tiles;
    if (empty) return;
    arrive_expecting(arrival[stage], sizeof(Tile));
    for (int box = 0; box < boxes; ++box) {
      load_box(arrived[stage].fours[box], in, static_cast<int>(n % tiles_down * tile),
               static_cast<int>(n / tiles_down * tile) + box * box_columns, arrival[stage], evict_last());
    }
  };
  if (asks) {
    for (TransferBarrier& barrier : arrival) initialize_and_publish(barrier);
    for (int stage = 0; stage < stages; ++stage) ask(stage);
  }
  __syncthreads();
  int stage = 0;
  unsigned parity = 0;
  while (true) {
    const unsigned n = number[stage];
    if (n >= tiles) break;
    const std::int64_t first_row = std::int64_t{n % tiles_down} * tile;
    const std::int64_t first_column = std::int64_t{n / tiles_down} * tile;
    wait(arrival[stage], parity);
#pragma unroll
    for (int i = 0; i < tile / patch; i += block.y) {
      const int y = (i + threadIdx.y) * patch;
#pragma unroll
      for (int j = 0; j < tile; j += block.x) {
        const int x = j + threadIdx.x;
        const float4 four = arrived[stage].fours[y / box_columns][x][swizzled(x, y % box_columns / patch)];
        const std::int64_t row = first_row + x;
        const std::int64_t column = first_column + y;
        if (row >= rows || column >= columns) continue;
        float* const to = &out[column * rows + row];
        to[0] = four.x;
        to[rows] = four.y;
        to[2 * rows] = four.z;
        to[3 * rows] = four.w;
      }
    }
    __syncthreads();  // all have read this stage: it may be filled again
    if (asks) ask(stage);
    __syncthreads();  // all see which tile comes into it
    stage = (stage + 1) % stages;
    if (stage == 0) parity ^= 1;
  }
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const std::int64_t tiles_down = blocks_over(in.rows, tile);
  const std::int64_t tiles = tiles_down * blocks_over(in.columns, tile);
  constexpr std::int64_t most_tiles = 1LL << 31;
  if (tiles > most_tiles || !has_boxes(in.data, in.rows, in.columns, in.columns)) {
    return aligned_output::launch(stream, in, out);
  }
  int device = 0;
  int multiprocessors = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const auto grid = static_cast<unsigned>(
      std::min<std::int64_t>(tiles, std::int64_t{multiprocessors} * blocks_per_multiprocessor));
  const CUtensorMap map = boxes_of(in.data, in.rows, in.columns, in.columns, {.rows = tile});
  transpose_persistent_queue<<<grid, block, 0, stream>>>(
      map, out.data, in.rows, in.columns, static_cast<unsigned>(tiles_down), static_cast<unsigned>(tiles));
}
}  // namespace

void weft::register_steps() {
  Variant made = transpose_variant("persistent-queue", Axes(block).settings().front(), launch);
  made.kind = Kind::experiment;
  made.measured = {{8192, 8192}, {16384, 16384}};
  add(std::move(made));
}
