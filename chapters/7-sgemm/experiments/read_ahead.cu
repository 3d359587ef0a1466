// The kernel of the step transposed-first without reading ahead, and the same kernel as it is, but launched
// when the transposition has ended.

#include "boxed.hpp"  // sm_90a
#include "multiplier.hpp"
#include "step/step.hpp"
#include "tiled.hpp"

namespace {
using namespace weft::hopper;

constexpr int shared_bytes = sizeof(Stages) + box_alignment;

constexpr int threads_with_producer = threads + 128;
constexpr int registers_to_multiply = 240;
constexpr int registers_to_fetch = 24;

/// Waits for the end of a phase if told to.
__device__ void wait_if(bool waits, const TransferBarrier& barrier) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "setp.eq.u32 done, %1, 0;\n"
      "@done bra over;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
      "@!done bra again;\n"
      "over:\n"
      "}" ::"r"(shared_address(&barrier)),
      "r"(static_cast<unsigned>(waits))
      : "memory");
}

/// As Multiplier, but the factors of each k are loaded either while those before are multiplied, or right
/// before they are multiplied themselves. In the latter case each k is a turn of the inner loop, and the
/// compiler moves neither loads nor multiply-adds from one turn into another: all multiply-adds of a k come
/// before the loads of the next. With reading ahead a turn has four k, as in Multiplier, and before each lies
/// a wait that never is one. So both loops have a branch at each k, and nearly as many instructions.
template <bool ahead>
class Loop {
 public:
  __device__ Loop(const Stages& from, StageBarriers& barriers, int warp, int lane, unsigned never)
      : first_{shared_address(&from.a[0][0][warp % warps_down * warp_rows + lane_down(lane) * 4]),
               shared_address(&from.b[0][0][column_of(warp, lane, 0)])},
        barriers_(barriers),
        lane_(lane),
        never_(never),
        at_(first_) {
    wait(barriers.arrived[0], 0);
    if constexpr (ahead) factors_[0].load(at_);
  }

  __device__ void add(Sums& sums, int steps) {
    constexpr int unrolled = ahead ? 4 : 1;
#pragma unroll 1
    for (; steps > 0; --steps) {
      TransferBarrier& left = barriers_.left[ring_.slot];
      ring_.advance();
      wait(barriers_.arrived[ring_.slot], ring_.parity);
      const Place next_stage{first_.a + ring_.slot * tile_depth * row_of_a,
                             first_.b + ring_.slot * tile_depth * row_of_b};
#pragma unroll 1
      for (int k = 0; k < tile_depth; k += unrolled) {
        const Place next = k + unrolled < tile_depth ? rows_behind(unrolled) : next_stage;
#pragma unroll
        for (int u = 0; u < unrolled; ++u) {
          Factors& factors = factors_[ahead ? (u + 1) % 2 : 0];
          if constexpr (ahead) {
            wait_if(never_ != 0, barriers_.arrived[0]);
            factors.load(u + 1 < unrolled ? rows_behind(u + 1) : next);
          } else {
            factors.load(rows_behind(u));
          }
          const Factors& loaded = factors_[ahead ? u % 2 : 0];
          add_products(sums, loaded.a, loaded.b);
        }
        at_ = next;
      }
      __syncwarp();
      if (lane_ == 0) arrive(left);
    }
  }

 private:
  static constexpr unsigned row_of_a = sizeof(Stages::a[0][0]);
  static constexpr unsigned row_of_b = sizeof(Stages::b[0][0]);

  [[nodiscard]] __device__ Place rows_behind(unsigned rows) const {
    return {at_.a + rows * row_of_a, at_.b + rows * row_of_b};
  }

  Place first_;
  StageBarriers& barriers_;
  int lane_;
  unsigned never_;  ///< 0, which the compiler does not know
  Ring<stages> ring_;
  Place at_;
  Factors factors_[2];
};

template <bool ahead>
__global__ __launch_bounds__(threads_with_producer,
                             1) void sgemm_read_ahead(const __grid_constant__ CUtensorMap transposed,
                                                      const __grid_constant__ CUtensorMap b, Output c,
                                                      int depth, unsigned never) {
  extern __shared__ char raw[];
  __shared__ StageBarriers barriers;
  Stages& stage = *first_aligned<Stages>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder tiles(c.rows, c.columns);
  const int steps = (depth + tile_depth - 1) / tile_depth;

  if (threadIdx.x == 0) {
    for (TransferBarrier& barrier : barriers.arrived) initialize(barrier, 1);
    for (TransferBarrier& barrier : barriers.left) initialize(barrier, warps);
    publish_barriers();
  }
  __syncthreads();

  if (warp >= warps) {
    give_registers<registers_to_fetch>();
    if (threadIdx.x != threads) return;
    wait_for_one_in_front();
    Ring<stages> ring;
    for (int number = blockIdx.x; number < tiles.count(); number += gridDim.x) {
      const TileOrder::Tile tile = tiles[number];
      for (int step = 0; step < steps; ++step, ring.advance()) {
        TransferBarrier& arrival = barriers.arrived[ring.slot];
        wait(barriers.left[ring.slot], ring.parity ^ 1);
        arrive_expecting(arrival, bytes_of_stage);
        load_box(stage.a[ring.slot], transposed, step * tile_depth, tile.first_row, arrival);
        load_box(stage.b[ring.slot], b, step * tile_depth, tile.first_column, arrival);
      }
    }
    wait(barriers.left[ring.slot], ring.parity ^ 1);
    arrive(barriers.arrived[ring.slot]);  // as if: it is waited for, but not multiplied
    return;
  }

  take_registers<registers_to_multiply>();
  Loop<ahead> loop(stage, barriers, warp, lane, never);
  for (int number = blockIdx.x; number < tiles.count(); number += gridDim.x) {
    Sums sums = {};
    loop.add(sums, steps);
    store(c, tiles[number], sums, warp, lane, [=](int i) { return row_of(warp, lane, i); });
  }
}

template <bool ahead, bool early>
void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (p.k == 0) return tiled::launch<0>(stream, p);
  const auto [transposed, b] = boxed_factors(stream, p);
  allow_shared(sgemm_read_ahead<ahead>, shared_bytes);
  const int blocks = min(TileOrder(p.m, p.n).count(), multiprocessors());
  if constexpr (early) {
    launch_early(stream, sgemm_read_ahead<ahead>, blocks, threads_with_producer, shared_bytes, transposed, b,
                 output_of(p), p.k, 0U);
  } else {
    sgemm_read_ahead<ahead>
        <<<blocks, threads_with_producer, shared_bytes, stream>>>(transposed, b, output_of(p), p.k, 0);
  }
}

template <bool ahead>
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t tiles = m / tile_rows * (n / tile_columns);
  const std::int64_t blocks = min(tiles, std::int64_t{multiprocessors_of_h200});
  model::Prediction prediction = predict_transpose(m, k);
  predict_multiply(prediction, tiles * (k / tile_depth), ahead ? blocks : 0);
  predict_store(prediction, m, n, 4);
  return prediction;
}

template <bool ahead, bool early>
void add_variant(bool is_default) {
  const Parameters parameters{{"ahead", {ahead ? 1 : 0}}, {"early", {early ? 1 : 0}}};
  add(product_variant("read-ahead", {parameters, is_default}, launch<ahead, early>, predict<ahead>,
                      {.kind = Kind::experiment,
                       .workspace = BoxedWorkspace::floats,
                       .measured = {{2048, 2048, 2048}, {4096, 4096, 4096}}}));
}
}  // namespace

void weft::register_steps() {
  add_variant<true, true>(true);
  add_variant<false, true>(false);
  add_variant<true, false>(false);
}
