// The tensor memory accelerator fetches the tile: one thread asks, no register holds a word on its way.
#include "aligned_output.hpp"
#include "kernel/evict_last.hpp"
#include "kernel/tma.hpp"  // sm_90a
#include "problem.hpp"

namespace {
constexpr int patch = 4;
constexpr int tile = 64;
constexpr dim3 block{32, 8};
constexpr int threads = block.x * block.y;
constexpr int blocks_per_multiprocessor = 6;
constexpr int boxes = tile / box_columns;
constexpr int fours_in_row = box_columns / patch;

/// A tile as it arrives: two boxes of 64 rows, each row eight times four words.
struct Tile {
  float4 fours[boxes][tile][fours_in_row];
};

/// Where the swizzle of the hardware puts four words of a row.
__host__ __device__ constexpr int swizzled(int row, int four) { return four ^ (row % fours_in_row); }

// [kernel]
__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void transpose_tma(
    const __grid_constant__ CUtensorMap in, float* __restrict__ out, std::int64_t rows,
    std::int64_t columns) {
  __shared__ alignas(box_alignment) Tile arrived;
  __shared__ TransferBarrier arrival;
  const std::int64_t first_row = block_x() * tile;
  const std::int64_t first_column = block_y() * tile;

  if (threadIdx.x == 0 && threadIdx.y == 0) {
    initialize_and_publish(arrival);
    arrive_expecting(arrival, sizeof arrived);
    for (int box = 0; box < boxes; ++box) {
      load_box(arrived.fours[box], in, static_cast<int>(first_row),
               static_cast<int>(first_column) + box * box_columns, arrival, evict_last());
    }
  }
  __syncthreads();
  wait(arrival, 0);
#pragma unroll
  for (int i = 0; i < tile / patch; i += block.y) {
    const int y = (i + threadIdx.y) * patch;
#pragma unroll
    for (int j = 0; j < tile; j += block.x) {
      const int x = j + threadIdx.x;
      const float4 four = arrived.fours[y / box_columns][x][swizzled(x, y % box_columns / patch)];
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
}
// [kernel]

// [launch]
/// What no tensor map describes goes the way of `aligned-output`.
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  if (!has_boxes(in.data, in.rows, in.columns, in.columns)) return aligned_output::launch(stream, in, out);
  const dim3 grid = grid_over(in.rows, in.columns, {tile, tile});
  const CUtensorMap map = boxes_of(in.data, in.rows, in.columns, in.columns, {.rows = tile});
  transpose_tma<<<grid, block, 0, stream>>>(map, out.data, in.rows, in.columns);
}
// [launch]

// [predict]
/// Predicted are the requests and sectors of the warps' own instructions. The warps do not load the tile from
/// global memory: the unit does.
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  const auto four = [](int lane) { return lane * fours_in_row + swizzled(lane, 0); };
  return model::Prediction{}.shared_load(warps / patch, 16, four).global_store(warps, 4, [](int lane) {
    return lane;
  });
}
// [predict]
}  // namespace

void weft::register_steps() { add_transpose("tma", block, launch, predict); }

TEST_CASE("the hardware's swizzle lets a warp read 32 rows of a box without bank conflicts") {
  CHECK(model::shared_load_wavefronts(
            {16, [](int lane) { return lane * fours_in_row + swizzled(lane, 0); }}) == 4);
  CHECK(model::shared_load_wavefronts({16, [](int lane) { return lane * fours_in_row; }}) == 32);
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::shared_load_wavefronts] == 4 * counted[model::Metric::shared_load_requests]);
    CHECK(counted[model::Metric::global_load_requests] == 0);  // no load instruction: the unit fetches
  });
}
