// Blocks that stay copy tiles from a queue. What they read at a time lies together or apart, and so does what
// they write: each is changed alone.
#include <algorithm>

#include "check/arrays.hpp"
#include "check/pattern.hpp"
#include "device/attribute.hpp"
#include "moved_tiles.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr int tile = 64;
constexpr dim3 block{32, 16};
constexpr int threads = block.x * block.y;
constexpr int blocks_per_multiprocessor = 4;

/// What the tiles that are moved at a time have.
enum Front : std::uint8_t { one_front, no_front };

/// Tile n of an order whose neighbours lie far apart, one share of the tiles from the next, as in
/// persistent-queue; and which n a tile is.
__host__ __device__ constexpr unsigned distant(unsigned n, unsigned tiles, unsigned blocks) {
  const unsigned share = tiles / blocks;
  return n < share * blocks ? n % blocks * share + n / blocks : n;
}
constexpr unsigned number_of_distant(unsigned n, unsigned tiles, unsigned blocks) {
  const unsigned share = tiles / blocks;
  return n < share * blocks ? n % share * blocks + n / share : n;
}

__device__ unsigned next_tile;  // 0 between launches

/// The next number of the queue. Each block asks until it gets none: the last to get none makes the queue
/// new.
__device__ unsigned take(unsigned tiles) {
  const unsigned n = atomicAdd(&next_tile, 1);
  if (n == tiles + gridDim.x - 1) next_tile = 0;
  return n;
}

/// Tiles divide the matrix, which is square. Number n stands for a tile of the output, along its rows, and
/// for the tile of the input that a transpose would put there. A block reads one of n's tiles, or a distant
/// one, and writes one of n's, or a distant one.
template <Front reads, Front writes>
__global__ __launch_bounds__(threads,
                             blocks_per_multiprocessor) void copy_queued(const float* __restrict__ in,
                                                                         float* __restrict__ out,
                                                                         std::int64_t side) {
  __shared__ unsigned number[2];  // of this turn and of the next
  const auto across = static_cast<unsigned>(side / tile);
  const unsigned tiles = across * across;
  const bool asks = threadIdx.x == 0 && threadIdx.y == 0;
  if (asks) number[0] = take(tiles);
  __syncthreads();
  for (int turn = 0;; turn ^= 1) {
    const unsigned n = number[turn];
    if (n >= tiles) break;
    const unsigned far = distant(n, tiles, gridDim.x);
    const unsigned from = reads == one_front ? n : far;
    const unsigned to = writes == one_front ? n : far;
    const std::int64_t row = std::int64_t{from % across} * tile + threadIdx.y;
    const std::int64_t column = std::int64_t{from / across} * tile + threadIdx.x;
    const std::int64_t out_row = std::int64_t{to / across} * tile + threadIdx.y;
    const std::int64_t out_column = std::int64_t{to % across} * tile + threadIdx.x;

    float moved[tile / block.y][tile / block.x];
#pragma unroll
    for (int i = 0; i < tile / block.y; ++i) {
#pragma unroll
      for (int j = 0; j < tile / block.x; ++j) {
        moved[i][j] = in[(row + std::int64_t{i} * block.y) * side + column + std::int64_t{j} * block.x];
      }
    }
    if (asks) number[turn ^ 1] = take(tiles);
#pragma unroll
    for (int i = 0; i < tile / block.y; ++i) {
#pragma unroll
      for (int j = 0; j < tile / block.x; ++j) {
        out[(out_row + std::int64_t{i} * block.y) * side + out_column + std::int64_t{j} * block.x] =
            moved[i][j];
      }
    }
    __syncthreads();  // all see the next number, and have read this one
  }
}

/// As many blocks as fit, or so few that each has some tiles to move.
unsigned blocks_for(unsigned tiles) {
  constexpr unsigned least_share = 3;
  const auto most = static_cast<unsigned>(multiprocessors() * blocks_per_multiprocessor);
  return std::clamp(tiles / least_share, 1U, most);
}

Owned<Problem> problem(std::int64_t side, int reads, int writes) {
  if (side % tile != 0) refuse("tiles must divide the matrix");
  const auto across = static_cast<unsigned>(side / tile);
  const unsigned tiles = across * across;
  const unsigned blocks = blocks_for(tiles);
  auto made = make_owned<ArrayProblem>();
  const auto& in = made->input<float>("input", {side, side}, hashed_floats);
  auto& out = made->output<float>("output", {side, side}, [=](std::uint64_t seed, std::int64_t index) {
    const std::int64_t row = index / side;
    const std::int64_t column = index % side;
    const auto to = static_cast<unsigned>(row / tile * across + column / tile);
    const unsigned n = writes == one_front ? to : number_of_distant(to, tiles, blocks);
    const std::int64_t from = reads == one_front ? n : distant(n, tiles, blocks);
    // Where this word would lie if the tile were written where a transpose puts it.
    const std::int64_t top = from / across * tile + row % tile;
    const std::int64_t left = from % across * tile + column % tile;
    return hashed_float(seed, source_of_moved(top * side + left, side, tile));
  });
  made->launches([=, &in, &out](cudaStream_t stream) {
    const auto kernel =
        reads == one_front
            ? (writes == one_front ? copy_queued<one_front, one_front> : copy_queued<one_front, no_front>)
            : (writes == one_front ? copy_queued<no_front, one_front> : copy_queued<no_front, no_front>);
    kernel<<<blocks, block, 0, stream>>>(in.data(), out.data(), side);
  });
  return made;
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes(block).with("reads", {one_front, no_front}).with("writes", {one_front, no_front});
  for (const Setting& setting : axes.settings()) {
    Variant made("near-copies", setting);
    made.kind = Kind::experiment;
    made.checked = {{64, 64}, {192, 192}, {256, 256}, {2112, 2112}};
    made.measured = {{8192, 8192}, {16384, 16384}};
    made.make = [reads = setting.number("reads"), writes = setting.number("writes")](const Shape& shape) {
      return problem(shape[0], reads, writes);
    };
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 2 * std::int64_t{sizeof(float)} * shape[0] * shape[1]};
    };
    add(std::move(made));
  }
}
