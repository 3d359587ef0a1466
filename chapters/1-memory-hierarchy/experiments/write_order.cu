// A gibibyte and more is written by a block for each tile, or by blocks that stay: each has a list of its
// own, or all take the next tile from one queue.
#include "stream.hpp"

namespace {
constexpr int together = 8;
constexpr int each_tile = 0;
constexpr int own_list = 1;
constexpr int one_queue = 2;

__device__ std::uint32_t next_turn;  // 0 between launches

/// Each block asks until all turns are taken; the last to ask makes the queue new.
__global__ __launch_bounds__(tile_block.x, 1) void write_from_queue(uint4* __restrict__ out,
                                                                    std::uint32_t tiles,
                                                                    std::uint32_t turns) {
  __shared__ std::uint32_t turn;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) {
      turn = atomicAdd(&next_turn, 1);
      if (turn == turns + gridDim.x - 1) next_turn = 0;
    }
    __syncthreads();
    if (turn >= turns) return;
    const std::int64_t first = std::int64_t{turn % tiles} * tile_block.x * together + threadIdx.x;
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const std::int64_t index = first + std::int64_t{tile_block.x} * i;
      const auto word = static_cast<std::uint32_t>(4 * index);
      out[index] = {word, word + 1, word + 2, word + 3};
    }
  }
}

void launch_queue(unsigned blocks, cudaStream_t stream, const uint4* /*in*/, uint4* out,
                  std::uint32_t* /*sums*/, std::uint32_t tiles, std::uint32_t turns) {
  write_from_queue<<<blocks, tile_block, 0, stream>>>(out, tiles, turns);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("order", {each_tile, own_list, one_queue}).settings()) {
    const int order = setting.number("order");
    Traffic traffic = writing<together>;
    if (order == one_queue) traffic.launch = launch_queue;
    Variant made = bandwidth("write-order", setting, traffic,
                             order == each_tile ? a_block_for_each_tile : a_block_for_each_multiprocessor);
    made.kind = Kind::experiment;
    made.curve = true;
    made.measured = {{2048, 1}};
    if (order == one_queue) {
      made.counted.clear();  // who asks how often is not to be foretold line by line
      made.predict = nullptr;
    }
    add(std::move(made));
  }
}
