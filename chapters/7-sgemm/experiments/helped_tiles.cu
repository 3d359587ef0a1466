// Whole tiles, whose ends are multiplied by multiprocessors that have no tile of their own.

#include "check/racecheck.hpp"
#include "kernel/launch_with.hpp"
#include "step/step.hpp"
#include "tiled.hpp"
#include "transposed_tiles.hpp"  // sm_90a

namespace {
using namespace weft::hopper;

constexpr int threads_in_all = threads + 128;
constexpr int registers_to_multiply = 224;
constexpr int registers_to_fetch = 56;

/// A tile without its end along the depth, or its end.
struct Part {
  int tile = 0;
  int first_k = 0, depth = 0;

  [[nodiscard]] __device__ int steps() const { return (depth + tile_depth - 1) / tile_depth; }
  /// How much of the last step lies behind the part.
  [[nodiscard]] __device__ int behind() const { return steps() * tile_depth - depth; }
};

/// What a block does. The first blocks have a tile each, but for its end. The others help: they do the ends,
/// each those of every so manieth tile.
class Parts {
 public:
  __device__ Parts(int tiles, int depth, int end)
      : tiles_(tiles),
        depth_(depth),
        end_(end),
        next_(static_cast<int>(blockIdx.x)),
        helps_(blockIdx.x >= static_cast<unsigned>(tiles)) {
    if (helps_) next_ -= tiles;
  }

  __device__ bool next(Part& part) {
    if (next_ >= tiles_) return false;
    part = helps_ ? Part{next_, depth_ - end_, end_} : Part{next_, 0, depth_ - end_};
    next_ = helps_ ? next_ + static_cast<int>(gridDim.x) - tiles_ : tiles_;
    return true;
  }

  /// The same for warps that need to know no more than its steps.
  __device__ bool next(Segment& segment) {
    Part part;
    if (!next(part)) return false;
    segment = {part.tile, 0, part.steps()};
    return true;
  }

  [[nodiscard]] __device__ bool helps() const { return helps_; }

 private:
  int tiles_, depth_, end_, next_;
  bool helps_;
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
                                   const HandedSums* handed_sums, int steps) {
  TransposedBarriers& of_tiles = barriers.tiles;
  Ring<stages> ring;
  Ring<box_stages> boxes;
  Part part;
  while (parts.next(part)) {
    const TileOrder::Tile tile = tiles[part.tile];
    for (int step = 0; step < part.steps(); ++step, ring.advance(), boxes.advance()) {
      const int k = part.first_k + step * tile_depth;
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

  wait_for_sums(part.tile);
  arrive_expecting(barriers.sums_arrived, sizeof(HandedSums));
  for (int i = 0; i < box_stages; ++i, boxes.advance()) {
    wait(of_tiles.box_left[boxes.slot], boxes.parity ^ 1);
  }
  for (int piece = 0; piece < pieces; ++piece) {
    if (piece > 0) {
      wait(of_tiles.stages.left[ring.slot], ring.parity ^ 1);
      ring.advance();
    }
    fetch_piece(place_of(to, piece, steps), &handed_sums[part.tile][std::int64_t{piece} * fours_of_piece],
                barriers.sums_arrived);
  }
}

__global__ __launch_bounds__(threads_in_all, 1) void sgemm_helped_tiles(const __grid_constant__ CUtensorMap a,
                                                                        const __grid_constant__ CUtensorMap b,
                                                                        Output c, int depth, int end,
                                                                        HandedSums* handed_sums, float one) {
  extern __shared__ char raw[];
  __shared__ Barriers barriers;
  TransposedStages& stage = *first_aligned<TransposedStages>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder tiles(c.rows, c.columns);
  const int steps = (depth - end + tile_depth - 1) / tile_depth;  // of a block that has a tile
  Parts parts(tiles.count(), depth, end);
  Part part;

  if (threadIdx.x == 0) {
    initialize(barriers.sums_arrived, 1);
    barriers.tiles.initialize_all();
  }
  __syncthreads();

  if (warp >= warps) {
    give_registers<registers_to_fetch>();
    if (warp > warps) return transpose_tiles(stage, barriers.tiles, parts, warp - warps - 1, lane);
    if (lane == 0) fetch_parts(a, b, stage, barriers, tiles, parts, end > 0, handed_sums, steps);
    return;
  }

  take_registers<registers_to_multiply>();
  Multiplier<2, 4, middle_row> multiplier(stage.stages, barriers.tiles.stages, warp, lane);
  while (for_all_lanes(parts.next(part))) {
    Sums sums = {};
    const int behind = for_all_lanes(part.behind());
    multiplier.add(sums, for_all_lanes(part.steps()), [=](int left) { return left == 1 ? behind : 0; });
    if (for_all_lanes(part.first_k > 0)) {
      hand_to(handed_sums[part.tile], sums, one);
      if (threadIdx.x == 0) {
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(&handed[part.tile]) : "memory");
      }
      continue;
    }
    if (for_all_lanes(part.depth < depth)) {
      wait(barriers.sums_arrived, 0);
      add_sums(sums, stage, steps);
    }
    store(c, tiles[part.tile], sums, warp, lane, [=](int i) { return row_of(warp, lane, i); });
  }
}

/// How deep the ends are: as deep as helpers are ready with in time, or 0. What is before an end is a
/// multiple of four deep.
int end_of(int depth, int tiles, int helpers) {
  constexpr int as_long_as_to_hand_over = 22;
  if (helpers == 0) return 0;
  const int of_helper = (tiles + helpers - 1) / helpers;
  const int most = (depth - of_helper * as_long_as_to_hand_over) / (of_helper + 1);
  constexpr int least = 16;
  return most < least ? 0 : depth - (depth - most + 3) / 4 * 4;
}

template <bool helped>
void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  const int blocks = min(multiprocessors(), most_blocks);
  const int tiles = TileOrder(p.m, p.n).count();
  if (!has_boxed_factors(p) || tiles > blocks) return tiled::launch<0>(stream, p);
  const int helpers = helped ? min(blocks - tiles, tiles) : 0;
  const int end = end_of(p.k, tiles, helpers);
  const CUtensorMap a = boxes_of(p.a, p.m, p.k, p.lda, {.rows = tile_rows});
  const CUtensorMap b = boxes_of(p.b, p.k, p.n, p.ldb, {tile_depth, tile_columns, false});
  constexpr int shared_bytes = sizeof(TransposedStages) + box_alignment;
  allow_shared(sgemm_helped_tiles, shared_bytes);
  launch_together(stream, sgemm_helped_tiles, end > 0 ? tiles + helpers : tiles, threads_in_all, shared_bytes,
                  a, b, output_of(p), p.k, end, reinterpret_cast<HandedSums*>(p.workspace), 1.0F);
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
  check_beyond_racecheck();  // transposed_tiles.hpp says why
  add_variant<true>();
  add_variant<false>();
}

TEST_CASE("an end is as deep as helpers are ready with in time, and begins at a multiple of four") {
  CHECK(end_of(2048, 132, 0) == 0);
  CHECK(end_of(2048, 128, 4) == 40);
  CHECK(end_of(53, 4, 4) == 0);
  for (const int depth : {54, 55, 56, 57, 1000, 2049}) {
    const int end = end_of(depth, 4, 4);
    CHECK((depth - end) % 4 == 0);
    CHECK(end > 0);
  }
}
