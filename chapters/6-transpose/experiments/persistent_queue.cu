// Blocks that stay, as in `persistent`: they take their tiles from one queue or each from a list of its own,
// and tiles that are moved at a time lie together or apart.

#include "aligned_output.hpp"
#include "device/attribute.hpp"
#include "kernel/evict_last.hpp"
#include "kernel/launch_with.hpp"
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

constexpr unsigned rounds_ahead = 2;  // of its list, that a block may be ahead of what all have done

__device__ unsigned next_tile, tiles_done, blocks_done;  // 0 between launches

/// The next tile of the queue. Each block asks until it gets none: the last to get none makes the queue new.
/// Apart, neighbours in the queue are as far from each other as that many blocks' shares are.
template <bool together>
__device__ unsigned take_from_queue(unsigned tiles) {
  const unsigned n = atomicAdd(&next_tile, 1);
  if (n == tiles + gridDim.x - 1) next_tile = 0;
  const unsigned share = tiles / gridDim.x;
  return together || n >= share * gridDim.x ? n : n % gridDim.x * share + n / gridDim.x;
}

/// The next tile of a block's list. Together, a block that is ahead waits for the others.
template <bool together>
__device__ unsigned take_from_list(unsigned round, unsigned tiles) {
  const unsigned n = blockIdx.x + round * gridDim.x;
  if (together && n < tiles && round > rounds_ahead) {
    const volatile unsigned& done = tiles_done;
    while (done < (round - rounds_ahead) * gridDim.x) {
    }
  }
  return n;
}

/// The last block to end makes the count of tiles new.
__device__ void end_block() {
  if (atomicAdd(&blocks_done, 1) < gridDim.x - 1) return;
  blocks_done = 0;
  tiles_done = 0;
}

template <bool queue, bool together>
__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void transpose_persistent_queue(
    const __grid_constant__ CUtensorMap in, float* __restrict__ out, std::int64_t rows, std::int64_t columns,
    unsigned tiles_down, unsigned tiles) {
  __shared__ alignas(box_alignment) Tile arrived[stages];
  __shared__ TransferBarrier arrival[stages];
  __shared__ unsigned number[stages];
  const bool asks = threadIdx.x == 0 && threadIdx.y == 0;

  bool empty = false;
  unsigned round = 0;
  const auto take = [&] {
    if constexpr (queue) return take_from_queue<together>(tiles);
    return take_from_list<together>(round++, tiles);
  };
  const auto ask = [&](int stage) {
    const unsigned n = empty ? tiles : take();
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
    if (asks) {
      if (!queue && together) atomicAdd(&tiles_done, 1);
      ask(stage);
    }
    __syncthreads();  // all see which tile comes into it
    stage = (stage + 1) % stages;
    if (stage == 0) parity ^= 1;
  }
  if (!queue && together && asks) end_block();
}

template <bool queue, bool together>
void launch_variant(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const std::int64_t tiles_down = blocks_over(in.rows, tile);
  const std::int64_t tiles = tiles_down * blocks_over(in.columns, tile);
  constexpr std::int64_t most_tiles = 1LL << 31;
  if (tiles > most_tiles || !has_boxes(in.data, in.rows, in.columns, in.columns)) {
    return aligned_output::launch(stream, in, out);
  }
  const auto grid = static_cast<int>(min(tiles, std::int64_t{multiprocessors()} * blocks_per_multiprocessor));
  const CUtensorMap map = boxes_of(in.data, in.rows, in.columns, in.columns, {.rows = tile});
  launch_together(stream, transpose_persistent_queue<queue, together>, grid, block, 0, map, out.data, in.rows,
                  in.columns, static_cast<unsigned>(tiles_down), static_cast<unsigned>(tiles));
}

}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes(block).with("queue", {1, 0}).with("together", {1, 0}).settings()) {
    const bool together = setting.number("together") == 1;
    const auto launch = setting.number("queue") == 1
                            ? (together ? launch_variant<true, true> : launch_variant<true, false>)
                            : (together ? launch_variant<false, true> : launch_variant<false, false>);
    Variant made = transpose_variant("persistent-queue", setting, launch);
    made.kind = Kind::experiment;
    made.checked.push_back({2560, 2564});  // so many tiles that blocks wait for others
    made.measured = {{8192, 8192}, {16384, 16384}};
    add(std::move(made));
  }
}
