// Blocks that stay: each takes tile after tile, and the next one is on its way while this one is written.
#include "aligned_output.hpp"
#include "device/attribute.hpp"
#include "kernel/evict_last.hpp"
#include "kernel/tma.hpp"  // sm_90a
#include "problem.hpp"

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

// [kernel]
__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void transpose_persistent(
    const __grid_constant__ CUtensorMap in, float* __restrict__ out, std::int64_t rows, std::int64_t columns,
    std::int64_t tiles_down, std::int64_t tiles) {
  __shared__ alignas(box_alignment) Tile arrived[stages];
  __shared__ TransferBarrier arrival[stages];
  const bool asks = threadIdx.x == 0 && threadIdx.y == 0;

  const auto ask_for = [&](std::int64_t n, int stage) {
    arrive_expecting(arrival[stage], sizeof(Tile));
    for (int box = 0; box < boxes; ++box) {
      load_box(arrived[stage].fours[box], in, static_cast<int>(n % tiles_down * tile),
               static_cast<int>(n / tiles_down * tile) + box * box_columns, arrival[stage], evict_last());
    }
  };
  if (asks) {
    for (TransferBarrier& barrier : arrival) initialize_and_publish(barrier);
    for (int stage = 0; stage < stages; ++stage) {
      const std::int64_t n = blockIdx.x + std::int64_t{stage} * gridDim.x;
      if (n < tiles) ask_for(n, stage);
    }
  }
  __syncthreads();
  int stage = 0;
  unsigned parity = 0;
  for (std::int64_t n = blockIdx.x; n < tiles; n += gridDim.x) {
    const std::int64_t first_row = n % tiles_down * tile;
    const std::int64_t first_column = n / tiles_down * tile;
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
    const std::int64_t next = n + std::int64_t{stages} * gridDim.x;
    if (asks && next < tiles) ask_for(next, stage);
    stage = (stage + 1) % stages;
    if (stage == 0) parity ^= 1;
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  if (!has_boxes(in.data, in.rows, in.columns, in.columns)) return aligned_output::launch(stream, in, out);
  const std::int64_t tiles_down = blocks_over(in.rows, tile);
  const std::int64_t tiles = tiles_down * blocks_over(in.columns, tile);
  const auto grid =
      static_cast<unsigned>(min(tiles, std::int64_t{multiprocessors()} * blocks_per_multiprocessor));
  const CUtensorMap map = boxes_of(in.data, in.rows, in.columns, in.columns, {.rows = tile});
  transpose_persistent<<<grid, block, 0, stream>>>(map, out.data, in.rows, in.columns, tiles_down, tiles);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  const auto four = [](int lane) { return lane * fours_in_row + swizzled(lane, 0); };
  return model::Prediction{}.shared_load(warps / patch, 16, four).global_store(warps, 4, [](int lane) {
    return lane;
  });
}
// [predict]
}  // namespace

void weft::register_steps() { add_transpose("persistent", block, launch, predict); }
