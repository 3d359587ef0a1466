// The TMA copies tiles of the elements into a ring in shared memory, as lines that the L2 gives up first.
// Blocks take tiles from a queue. The block that is the last to add to a bin leaves its sum.
#include "kernel/tma.hpp"  // sm_90
#include "lane_copies.hpp"

namespace {
constexpr int counting_warps = 16;
constexpr int counting_threads = counting_warps * model::warp_size;
constexpr dim3 ring_block{counting_threads + model::warp_size};
constexpr int fours = 4;   // of a counting thread, from each tile
constexpr int stages = 6;  // of the ring
constexpr int vectors_of_tile = fours * counting_threads;
constexpr int bins = 256;

// [room]
/// A block's shared memory: a copy of the bins for each lane, and the ring.
struct Room {
  std::uint32_t table[bins][model::warp_size];
  uint4 ring[stages][vectors_of_tile];
};
// [room]

// [last]
/// Where blocks meet: a queue of tiles, and for each bin a sum and how many blocks have added to it, in one
/// word. All are zero before a launch and behind it.
struct Meeting {
  unsigned* queue;
  unsigned long long* sums;

  explicit Meeting(const Histogram& histogram)
      : queue(histogram.workspace),
        sums(reinterpret_cast<unsigned long long*>(histogram.workspace + MeetingPoint::words_of_line)) {}

  static constexpr std::int64_t words = MeetingPoint::words_of_line + std::int64_t{2} * bins;
  static constexpr int bits_of_sum = 48;
};

/// Adds a block's count to a bin. If all other blocks have, it leaves the sum of all.
__device__ void add_to_bin(const Meeting& meeting, std::uint32_t* to, int bin, std::uint32_t count) {
  constexpr auto block_added = 1ULL << Meeting::bits_of_sum;
  const unsigned long long before = atomicAdd(&meeting.sums[bin], block_added + count);
  if (before >> Meeting::bits_of_sum != gridDim.x - 1) return;
  to[bin] = static_cast<std::uint32_t>(before) + count;
  meeting.sums[bin] = 0;
  if (bin == 0) *meeting.queue = 0;
}
// [last]

/// Sends for vectors, as lines that the L2 may give up before others.
// NOLINTNEXTLINE(misc-const-correctness): the hardware writes there
__device__ void load_first_out(uint4* shared, const uint4* from, unsigned vectors, TransferBarrier& arrival,
                               [[maybe_unused]] bool first_out) {
#if __CUDA_ARCH__ >= 900
  if (!first_out) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(shared)),
        "l"(from), "r"(vectors * bytes_of_vector), "r"(shared_address(&arrival))
        : "memory");
    return;
  }
  L2Policy policy = 0;  // NOLINT(misc-const-correctness): the instruction writes it
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
      "[%3], "
      "%4;" ::"r"(shared_address(shared)),
      "l"(from), "r"(vectors * bytes_of_vector), "r"(shared_address(&arrival)), "l"(policy)
      : "memory");
#endif
}

/// Of a ring, for one of those who go round in it: the stage that is next, and the parity of its phase.
struct Place {
  int stage = 0;
  unsigned parity = 0;

  __device__ void advance() {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }
};

// [kernel]
/// @tparam queued whether blocks take tiles from a queue instead of an even share of them
/// @tparam first_out whether the L2 may give up the lines first
template <bool queued, bool first_out>
__global__ __launch_bounds__(ring_block.x, 1) void ring_copies(Histogram histogram, Meeting meeting) {
  extern __shared__ uint4 shared[];
  auto& room = *reinterpret_cast<Room*>(shared);
  __shared__ TransferBarrier arrived[stages];
  __shared__ TransferBarrier left[stages];
  __shared__ int vectors_in[stages];
  const auto thread = static_cast<int>(threadIdx.x);
  const auto* const in = reinterpret_cast<const uint4*>(histogram.words);
  const std::int64_t vectors = histogram.count / bytes_of_vector;
  if (thread == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      initialize(arrived[stage], 1);
      initialize(left[stage], counting_warps);
    }
    publish_barriers();
  }
  if (thread < counting_threads) {
#pragma unroll
    for (int i = 0; i < bins; i += counting_warps) room.table[i + thread / 32][thread % 32] = 0;
  }
  __syncthreads();

  Place place;
  if (thread >= counting_threads) {  // the producer
    if (thread > counting_threads) return;
    std::int64_t tile = blockIdx.x;
    for (std::int64_t turn = 0;; ++turn) {
      if (turn >= stages) wait(left[place.stage], place.parity ^ 1);
      const std::int64_t first = tile * vectors_of_tile;
      const auto count =
          static_cast<int>(min(max(vectors - first, std::int64_t{0}), std::int64_t{vectors_of_tile}));
      vectors_in[place.stage] = count;
      if (count == 0) {
        arrive(arrived[place.stage]);
        return;
      }
      const unsigned next = queued ? atomicAdd(meeting.queue, 1U) : 0;
      arrive_expecting(arrived[place.stage], static_cast<unsigned>(count) * bytes_of_vector);
      load_first_out(room.ring[place.stage], &in[first], static_cast<unsigned>(count), arrived[place.stage],
                     first_out);
      tile = queued ? std::int64_t{gridDim.x} + next : tile + gridDim.x;
      place.advance();
    }
  }

  auto* const column = reinterpret_cast<std::uint32_t (*)[model::warp_size]>(&room.table[0][thread % 32]);
  while (true) {
    wait(arrived[place.stage], place.parity);
    const int count = vectors_in[place.stage];
    if (count == 0) break;
    uint4 found[fours];
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      const int vector = counting_threads * i + thread;
      if (vector < count) found[i] = room.ring[place.stage][vector];
    }
    __syncwarp();  // so the arrival comes after the reads of all lanes
    if (thread % 32 == 0) arrive(left[place.stage]);
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      if (counting_threads * i + thread >= count) break;
      count_bytes(column, found[i].x);
      count_bytes(column, found[i].y);
      count_bytes(column, found[i].z);
      count_bytes(column, found[i].w);
    }
    place.advance();
  }
  const std::int64_t rest = vectors * bytes_of_vector + thread;  // the last vector, which is not whole
  if (blockIdx.x == 0 && rest < histogram.count) {
    atomicAdd(&column[reinterpret_cast<const std::uint8_t*>(in)[rest]][0], 1U);
  }
  asm volatile("bar.sync 1, %0;" ::"n"(counting_threads) : "memory");
  constexpr int bins_of_warp = bins / counting_warps;
  const int first_bin = thread / 32 * bins_of_warp;
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < bins_of_warp; ++i) {
    const std::uint32_t of_bin = __reduce_add_sync(~0U, room.table[first_bin + i][thread % 32]);
    if (thread % 32 == i) sum = of_bin;
  }
  if (thread % 32 < bins_of_warp) add_to_bin(meeting, histogram.bins, first_bin + thread % 32, sum);
}
// [kernel]

auto kernel_of(bool queued, bool first_out) {
  if (queued) return first_out ? ring_copies<true, true> : ring_copies<true, false>;
  return first_out ? ring_copies<false, true> : ring_copies<false, false>;
}

void launch(cudaStream_t stream, const Histogram& histogram, bool queued, bool first_out) {
  const auto kernel = kernel_of(queued, first_out);
  constexpr auto shared = static_cast<int>(sizeof(Room));
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const unsigned grid = blocks_for(histogram.count / bytes_of_vector, vectors_of_tile, 1);
  kernel<<<grid, ring_block, std::size_t{shared}, stream>>>(histogram, Meeting(histogram));
}

/// Of whole vectors, and as many tiles. The copies are no loads of a warp. Each block asks once more than it
/// gets. Lanes of a warp that are the last to add are so for all of its bins.
model::Prediction predict(std::int64_t count) {
  const std::int64_t vectors = count / bytes_of_vector;
  const std::int64_t blocks = blocks_for(vectors, vectors_of_tile, 1);
  const std::int64_t asked = blocks_over(vectors, vectors_of_tile) + blocks;
  const auto one_word = [](int) { return 0; };
  const auto some_lanes = [](int lane) {
    return lane < bins / counting_warps ? model::Element(lane) : model::Element();
  };
  return model::Prediction{}
      .shared_store(blocks * bins, 4, own_lane)
      .shared_store(asked, 4, first_lane)
      .shared_load(asked * counting_warps, 4, one_word)
      .shared_load(vectors / model::warp_size, 16, own_lane)
      .shared_atomic(count / model::warp_size, own_lane)
      .shared_load(blocks * bins, 4, own_lane)
      .global_store(counting_warps, 4, some_lanes)
      .global_store(counting_warps, 8, some_lanes)
      .global_store(1, 4, first_lane);
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("queued", {1, 0}).with("first", {1, 0}).with("same", percents_of_same);
  for (const Setting& setting : axes.settings()) {
    const bool queued = setting.number("queued") != 0;
    const bool first_out = setting.number("first") != 0;
    if (!queued && !first_out) continue;
    add(histogram_variant(
        "ring-copies", setting,
        {.launch = [=](cudaStream_t stream,
                       const Histogram& histogram) { launch(stream, histogram, queued, first_out); },
         .workspace = Meeting::words,
         .predict = predict}));
  }
}
