// A is transposed while the first tiles are computed, by warps that have nothing else to do.
#include <algorithm>

#include "boxed.hpp"  // sm_90a
#include "kernel/launch_with.hpp"
#include "multiplier.hpp"
#include "step/step.hpp"
#include "stream_k.hpp"
#include "tiled.hpp"

namespace {
using namespace weft::hopper;

constexpr int shared_bytes = sizeof(Stages) + box_alignment;

constexpr int threads_in_all = threads + 128;
constexpr int registers_to_multiply = 232;
constexpr int registers_to_fetch = 40;

// [transpose]
constexpr int side = 32;  ///< of the squares in which A is transposed: as deep as a stage
static_assert(side == tile_depth);
constexpr int transposing_warps = 3;
constexpr int apart = 8;  ///< words, a sector

/// How much of A's transpose is there: of each slab, some steps deep, the squares that are written and the
/// blocks that know of all of them. What counts the last block is zero again.
constexpr int most_slabs = 1024;
__device__ unsigned counted[most_slabs];

/// A as it lies, and where its transpose is to lie.
struct Transposition {
  const float* a;
  std::int64_t lda;
  float* out;
  std::int64_t pitch;
  int rows, depth;

  [[nodiscard]] __host__ __device__ int squares_down() const { return (rows + side - 1) / side; }
  [[nodiscard]] __host__ __device__ int steps() const { return (depth + side - 1) / side; }
  [[nodiscard]] __host__ __device__ int steps_of_slab() const {
    return (steps() + most_slabs - 1) / most_slabs;
  }
  [[nodiscard]] __device__ unsigned squares_of_slab(int slab) const {
    return squares_down() * min(steps_of_slab(), steps() - slab * steps_of_slab());
  }
};

/// What is written like any other memory is also there for the unit that fetches boxes.
__device__ void show_to_boxes() { asm volatile("fence.proxy.async.global;" ::: "memory"); }

/// Transposes a warp's share of the squares, in the order in which they are multiplied. A lane has a row of a
/// square, and first loads a word of each sector: after that the L1 has the other words.
__device__ void transpose(const Transposition& t, int warp, int lane) {
  const std::int64_t squares = std::int64_t{t.squares_down()} * t.steps();
  const std::int64_t squares_at_once = std::int64_t{gridDim.x} * transposing_warps;
  for (std::int64_t square = std::int64_t{gridDim.x} * warp + blockIdx.x; square < squares;
       square += squares_at_once) {
    const int step = static_cast<int>(square / t.squares_down());
    const int row = static_cast<int>(square % t.squares_down()) * side + lane;
    const int column = step * side;
    const float* const from = t.a + row * t.lda + column;
    float* const to = t.out + column * t.pitch + row;
#pragma unroll 1
    for (int i = 0; i < apart; ++i) {
      float words[side / apart];
#pragma unroll
      for (int j = i, word = 0; word < side / apart; j += apart, ++word) {
        words[word] = row < t.rows && column + j < t.depth ? from[j] : 0;
      }
#pragma unroll
      for (int j = i, word = 0; word < side / apart; j += apart, ++word) {
        if (row < t.rows && column + j < t.depth) to[j * t.pitch] = words[word];
      }
    }
    show_to_boxes();
    __syncwarp();
    if (lane == 0) {
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&counted[step / t.steps_of_slab()])
                   : "memory");
    }
  }
}

/// What is there of a slab, by an atomic that adds nothing: a load could not be told from those of A in the
/// counts.
__device__ unsigned ask(const unsigned* count) {
  unsigned value = 0;  // NOLINT(misc-const-correctness): the instruction writes it
  asm volatile("atom.acquire.gpu.global.or.b32 %0, [%1], 0;" : "=r"(value) : "l"(count) : "memory");
  return value;
}

/// Waits until a slab is transposed.
__device__ void wait_for_slab(const Transposition& t, int slab) {
  const unsigned squares = t.squares_of_slab(slab);
  while (ask(&counted[slab]) < squares) {
  }
  asm volatile("red.relaxed.gpu.global.inc.u32 [%0], %1;" ::"l"(&counted[slab]), "r"(squares + gridDim.x - 1)
               : "memory");
  show_to_boxes();
}
// [transpose]

// [work]
/// A tile for each block, which begins at the first step like the transposition, and then what stream-K does
/// with the others.
class WorkBehindFirstTile {
 public:
  __device__ WorkBehindFirstTile(int tiles, int steps)
      : steps_(steps), first_tiles_(static_cast<int>(gridDim.x)), others_(tiles - first_tiles_, steps) {}

  __device__ bool next(Segment& segment) {
    if (!begun_) {
      begun_ = true;
      segment = {static_cast<int>(blockIdx.x), 0, steps_};
      return true;
    }
    if (!others_.next(segment)) return false;
    segment.tile += first_tiles_;
    return true;
  }

  /// Whether a block has steps of a segment's tile behind those of the block in front.
  [[nodiscard]] __device__ bool shares(const Segment& segment, unsigned block) const {
    return others_.begin_of(block) < std::int64_t{steps_} * (segment.tile - first_tiles_ + 1);
  }

 private:
  int steps_, first_tiles_;
  bool begun_ = false;
  Work others_;
};
// [work]

// [kernel]
__global__ __launch_bounds__(threads_in_all,
                             1) void sgemm_transposed_beside(const __grid_constant__ CUtensorMap transposed,
                                                             const __grid_constant__ CUtensorMap b, Output c,
                                                             Transposition transposition,
                                                             HandedSums* handed_sums, float one) {
  extern __shared__ char raw[];
  __shared__ StageBarriers barriers;
  Stages& stage = *first_aligned<Stages>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder tiles(c.rows, c.columns);
  const int steps = transposition.steps();
  WorkBehindFirstTile work(tiles.count(), steps);
  Segment segment;

  if (threadIdx.x == 0) {
    for (TransferBarrier& barrier : barriers.arrived) initialize(barrier, 1);
    for (TransferBarrier& barrier : barriers.left) initialize(barrier, warps);
    publish_barriers();
  }
  __syncthreads();

  if (warp >= warps) {
    give_registers<registers_to_fetch>();
    if (warp > warps) return transpose(transposition, warp - warps - 1, lane);
    if (lane > 0) return;
    Ring<stages> ring;
    int slabs_there = 0;
    while (work.next(segment)) {
      const TileOrder::Tile tile = tiles[segment.tile];
      for (int step = segment.first_step; step < segment.end_step; ++step, ring.advance()) {
        TransferBarrier& arrival = barriers.arrived[ring.slot];
        wait(barriers.left[ring.slot], ring.parity ^ 1);
        arrive_expecting(arrival, bytes_of_stage);
        load_box(stage.b[ring.slot], b, step * tile_depth, tile.first_column, arrival);
        if (step >= slabs_there * transposition.steps_of_slab()) wait_for_slab(transposition, slabs_there++);
        load_box(stage.a[ring.slot], transposed, step * tile_depth, tile.first_row, arrival);
      }
    }
    wait(barriers.left[ring.slot], ring.parity ^ 1);
    arrive(barriers.arrived[ring.slot]);  // as if it had arrived: it is loaded from, but not multiplied
    return;
  }

  take_registers<registers_to_multiply>();
  Multiplier multiplier(stage, barriers, warp, lane);
  while (for_all_lanes(work.next(segment))) {
    Sums sums = {};
    multiplier.add(sums, for_all_lanes(segment.end_step - segment.first_step));
    if (for_all_lanes(segment.first_step > 0)) {
      hand_over(sums, handed_sums, one);
      continue;
    }
    if (for_all_lanes(segment.end_step < steps)) {
      for (unsigned block = blockIdx.x + 1; work.shares(segment, block); ++block)
        take_over(sums, handed_sums, block);
    }
    store(c, tiles[segment.tile], sums, warp, lane, [=](int i) { return row_of(warp, lane, i); });
  }
}
// [kernel]

// [launch]
/// As many blocks as multiprocessors, each with a tile of its own to begin with.
int blocks_with_tiles(const Sgemm& p) {
  return std::min({TileOrder(p.m, p.n).count(), multiprocessors(), most_blocks});
}

void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (p.k == 0) return tiled::launch<0>(stream, p);
  const auto [transposed, b] = boxed_but_for_a(stream, p);
  const Transposition transposition{p.a, p.lda, p.workspace, transposed_pitch(p.m), p.m, p.k};
  allow_shared(sgemm_transposed_beside, shared_bytes);
  launch_together(stream, sgemm_transposed_beside, blocks_with_tiles(p), threads_in_all, shared_bytes,
                  transposed, b, output_of(p), transposition, handed_sums_in(p), 1.0F);
}
// [launch]

// [predict]
/// Each square is added to a count once, and each slab's count is raised once by each block.
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t tiles = m / tile_rows * (n / tile_columns);
  const std::int64_t blocks = min(tiles, std::int64_t{multiprocessors_of_h200});
  const std::int64_t steps = k / tile_depth;
  const std::int64_t warps_of_a = m * k / model::warp_size;
  model::Prediction prediction;
  prediction.global_load(warps_of_a, 4, [=](int lane) { return lane * k; })
      .global_store(warps_of_a, 4, [](int lane) { return lane; })
      .global_reduction(m / side * steps + blocks * min(steps, std::int64_t{most_slabs}),
                        [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); });
  predict_multiply(prediction, tiles * steps, blocks);
  predict_store(prediction, m, n, 4);
  return prediction;
}
// [predict]
}  // namespace

// [step]
/// Counted where tiles fill whole waves: a block that waits for another one's sums asks again and again, and
/// how often is not to be predicted.
void weft::register_steps() {
  const Shape whole_waves{std::int64_t{12} * tile_rows, std::int64_t{11} * tile_columns, 512};
  const ProductOptions options{
      .workspace = BoxedWorkspace::floats, .everywhere = true, .polls = true, .counted = whole_waves};
  add_product("transposed-beside", tile_axis(tile_rows, tile_columns, tile_depth), launch, predict, options);
}
// [step]
