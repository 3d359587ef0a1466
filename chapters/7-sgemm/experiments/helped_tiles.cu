// Whole tiles, whose ends are multiplied by multiprocessors that have no tile of their own.

#include "kernel/launch_with.hpp"
#include "step/step.hpp"
#include "tiled.hpp"
#include "transposed_tiles.hpp"  // sm_90a

namespace {
using namespace weft::hopper;

constexpr int threads_in_all = threads + 128;
constexpr int registers_to_multiply = 224;
constexpr int registers_to_fetch = 56;

/// What a block does. The first blocks have a tile each, but for its end along the depth. The others do the
/// ends, each those of every so manieth tile.
class Parts {
 public:
  /// @param own_depth of a block that has a tile: the end is what is left
  __device__ Parts(int tiles, int depth, int own_depth)
      : tiles_(tiles),
        helps_(blockIdx.x >= static_cast<unsigned>(tiles)),
        next_(static_cast<int>(blockIdx.x) - (helps_ ? tiles : 0)),
        first_k_(helps_ ? own_depth : 0),
        depth_(helps_ ? depth - own_depth : own_depth) {}

  /// The next part, with its steps as those of a tile.
  __device__ bool next(Segment& segment) {
    if (next_ >= tiles_) return false;
    segment = {next_, 0, (depth_ + tile_depth - 1) / tile_depth};
    next_ = helps_ ? next_ + static_cast<int>(gridDim.x) - tiles_ : tiles_;
    return true;
  }

  [[nodiscard]] __device__ bool helps() const { return helps_; }
  [[nodiscard]] __device__ int first_k() const { return first_k_; }
  /// How much of the last step lies behind the end of a part.
  [[nodiscard]] __device__ int behind(const Segment& segment) const {
    return segment.end_step * tile_depth - depth_;
  }

 private:
  int tiles_;
  bool helps_;
  int next_, first_k_, depth_;
};

struct Barriers {
  TransposedBarriers tiles;
  TransferBarrier sums_arrived;
};

/// Sums that are handed over arrive in pieces, where nothing is left to be multiplied: in the place of the
/// boxes, and of B in the last stages but one.
constexpr int pieces = 4;
constexpr unsigned bytes_of_piece = sizeof(HandedSums) / pieces;
constexpr int fours_of_piece = fours_of_thread / pieces;
static_assert(sizeof(TransposedStages::boxes) == bytes_of_piece);
static_assert(sizeof(Stages::b[0]) == bytes_of_piece && stages == pieces);

/// @param steps of the block's tile
__device__ inline unsigned place_of(const TransposedStages& stage, int piece, int steps) {
  if (piece == 0) return shared_address(&stage.boxes);
  return shared_address(&stage.stages.b[(steps + piece - 1) % stages]);
}

/// Waits for the sums of a tile's end, and leaves their place as it was found.
__device__ inline void wait_for_sums(int tile) {
  while (load_acquire(&handed[tile]) == 0) {
  }
  handed[tile] = 0;
  asm volatile("fence.proxy.async.global;" ::: "memory");  // the unit that transfers reads them
}

__device__ inline void fetch_piece(unsigned to, const void* from, TransferBarrier& arrival) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "n"(bytes_of_piece), "r"(shared_address(&arrival))
      : "memory");
}

/// Adds what has arrived.
__device__ inline void add_sums(Sums& sums, const TransposedStages& stage, int steps) {
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) {
#pragma unroll
    for (int j = 0; j < thread_columns; j += 4) {
      const int four = (i * thread_columns + j) / 4;
      const unsigned place = place_of(stage, four / fours_of_piece, steps);
      const unsigned of_thread = four % fours_of_piece * threads + threadIdx.x;
      const float4 other = load_four(place + of_thread * static_cast<unsigned>(sizeof(float4)));
      sums[i][j] += other.x;
      sums[i][j + 1] += other.y;
      sums[i][j + 2] += other.z;
      sums[i][j + 3] += other.w;
    }
  }
}

/// What the producer does: boxes of A and of B as in fetch_tiles(), and then the sums of the tile's end.
__device__ inline void fetch_parts(const CUtensorMap& a, const CUtensorMap& b, TransposedStages& to,
                                   Barriers& barriers, const TileOrder& tiles, Parts parts, bool has_end,
                                   const HandedSums* handed_sums) {
  TransposedBarriers& of_tiles = barriers.tiles;
  Ring<stages> ring;
  Ring<box_stages> boxes;
  Segment segment;
  while (parts.next(segment)) {
    const TileOrder::Tile tile = tiles[segment.tile];
    for (int step = 0; step < segment.end_step; ++step, ring.advance(), boxes.advance()) {
      const int k = parts.first_k() + step * tile_depth;
      TransferBarrier& box_arrival = of_tiles.box_arrived[boxes.slot];
      wait(of_tiles.box_left[boxes.slot], boxes.parity ^ 1);
      arrive_expecting(box_arrival, sizeof(to.boxes[0]));
      load_box(to.boxes[boxes.slot], a, tile.first_row, k, box_arrival);
      TransferBarrier& arrival = of_tiles.stages.arrived[ring.slot];
      wait(of_tiles.stages.left[ring.slot], ring.parity ^ 1);
      arrive_expecting(arrival, sizeof(to.stages.b[0]));
      load_box(to.stages.b[ring.slot], b, k, tile.first_column, arrival);
    }
  }
  wait(of_tiles.stages.left[ring.slot], ring.parity ^ 1);
  arrive(of_tiles.stages.arrived[ring.slot]);  // as if: it is loaded from, but not multiplied
  if (parts.helps() || !has_end) return;

  wait_for_sums(segment.tile);
  arrive_expecting(barriers.sums_arrived, sizeof(HandedSums));
  for (int i = 0; i < box_stages; ++i, boxes.advance()) {
    wait(of_tiles.box_left[boxes.slot], boxes.parity ^ 1);
  }
  for (int piece = 0; piece < pieces; ++piece) {
    if (piece > 0) {
      wait(of_tiles.stages.left[ring.slot], ring.parity ^ 1);
      ring.advance();
    }
    fetch_piece(place_of(to, piece, segment.end_step),
                &handed_sums[segment.tile][std::int64_t{piece} * fours_of_piece], barriers.sums_arrived);
  }
}

__global__ __launch_bounds__(threads_in_all, 1) void sgemm_helped_tiles(const __grid_constant__ CUtensorMap a,
                                                                        const __grid_constant__ CUtensorMap b,
                                                                        Output c, int depth, int own_depth,
                                                                        HandedSums* handed_sums, float one) {
  extern __shared__ char raw[];
  __shared__ Barriers barriers;
  TransposedStages& stage = *first_aligned<TransposedStages>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder tiles(c.rows, c.columns);
  const int steps = (own_depth + tile_depth - 1) / tile_depth;  // of a block that has a tile
  Parts parts(tiles.count(), depth, own_depth);
  Segment segment;

  if (threadIdx.x == 0) {
    initialize(barriers.sums_arrived, 1);
    barriers.tiles.initialize_all();
  }
  __syncthreads();

  if (warp >= warps) {
    give_registers<registers_to_fetch>();
    if (warp > warps) return transpose_tiles(stage, barriers.tiles, parts, warp - warps - 1, lane);
    if (lane == 0) fetch_parts(a, b, stage, barriers, tiles, parts, own_depth < depth, handed_sums);
    return;
  }

  take_registers<registers_to_multiply>();
  Multiplier<2, 4, middle_row> multiplier(stage.stages, barriers.tiles.stages, warp, lane);
  while (for_all_lanes(parts.next(segment))) {
    Sums sums = {};
    multiplier.add(sums, for_all_lanes(segment.end_step),
                   [&](int left) { return left == 1 ? parts.behind(segment) : 0; });
    if (for_all_lanes(parts.helps())) {
      hand_to(handed_sums[segment.tile], sums, one);
      if (threadIdx.x == 0) {
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(&handed[segment.tile]) : "memory");
      }
      continue;
    }
    if (for_all_lanes(own_depth < depth)) {
      wait(barriers.sums_arrived, 0);
      add_sums(sums, stage, steps);
    }
    store(c, tiles[segment.tile], sums, warp, lane, [=](int i) { return row_of(warp, lane, i); });
  }
}

/// How much of the depth is left to a block that has a tile, a multiple of four. Blocks that help come to
/// the end of their tiles a little earlier.
int own_depth(int depth, int tiles, int helpers) {
  constexpr int as_long_as_to_hand_over = 22;
  if (helpers == 0) return depth;
  const int of_helper = (tiles + helpers - 1) / helpers;
  const int end = (depth - of_helper * as_long_as_to_hand_over) / (of_helper + 1);
  constexpr int least = 16;
  return end < least ? depth : (depth - end + 3) / 4 * 4;
}

template <bool helped>
void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  const int blocks = min(multiprocessors(), most_blocks);
  const int tiles = TileOrder(p.m, p.n).count();
  if (!has_boxed_factors(p) || tiles > blocks) return tiled::launch<0>(stream, p);
  const int helpers = helped ? min(blocks - tiles, tiles) : 0;
  const int own = own_depth(p.k, tiles, helpers);
  const CUtensorMap a = boxes_of(p.a, p.m, p.k, p.lda, {.rows = tile_rows});
  const CUtensorMap b = boxes_of(p.b, p.k, p.n, p.ldb, {tile_depth, tile_columns, false});
  constexpr int shared_bytes = sizeof(TransposedStages) + box_alignment;
  allow_shared(sgemm_helped_tiles, shared_bytes);
  launch_together(stream, sgemm_helped_tiles, own < p.k ? tiles + helpers : tiles, threads_in_all,
                  shared_bytes, a, b, output_of(p), p.k, own, reinterpret_cast<HandedSums*>(p.workspace),
                  1.0F);
}

/// Beside the multiplying, each box of A is read and written once, four numbers a lane.
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t tiles = m / tile_rows * (n / tile_columns);
  const std::int64_t boxes = tiles * (k / tile_depth);
  model::Prediction prediction;
  predict_multiply(prediction, boxes, 2 * tiles);
  predict_transpose_boxes(prediction, boxes);
  predict_store(prediction, m, n, 4);
  return prediction;
}

std::int64_t workspace(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr std::int64_t handed_over = std::int64_t{most_blocks} * sizeof(HandedSums) / sizeof(float);
  return max(handed_over, tiled::workspace(m, n, k));
}

/// Counted where each multiprocessor has a tile: a block that waits for sums asks again and again.
template <bool helped>
void add_variant() {
  constexpr int least_depth_with_end = 56;
  const Shape whole_wave{std::int64_t{12} * tile_rows, std::int64_t{11} * tile_columns, 512};
  const Parameters parameters{{"helped", {helped ? 1 : 0}}};
  Variant made = product_variant("helped-tiles", {parameters, helped}, launch<helped>, predict,
                                 {.kind = Kind::experiment,
                                  .workspace = workspace,
                                  .counted = whole_wave,
                                  .measured = {{2048, 2048, 2048}},
                                  .least_depth = least_depth_with_end});
  if (helped) made.checked.push_back({1100, 2044, 100});  // a helper has two tiles on a GPU of 132
  add(std::move(made));
}
}  // namespace

void weft::register_steps() {
  add_variant<true>();
  add_variant<false>();
}

TEST_CASE(
    "a tile's end is as deep as helpers reach in time, and a tile that has one begins with a multiple of "
    "four") {
  CHECK(own_depth(2048, 132, 0) == 2048);
  CHECK(own_depth(2048, 128, 4) == 2008);
  CHECK(own_depth(53, 4, 4) == 53);
  for (const int depth : {54, 55, 56, 57, 1000, 2049}) {
    const int own = own_depth(depth, 4, 4);
    CHECK(own % 4 == 0);
    CHECK(own < depth);
  }
}
