// A shorter ring: fewer bytes are on their way at a time. The first copies start before the counters are
// zero, and a block asks the queue for its tiles a whole ring ahead.
#include "kernel/tma.hpp"  // sm_90
#include "lane_copies.hpp"

namespace {
constexpr int counting_warps = 16;
constexpr int counting_threads = counting_warps * model::warp_size;
constexpr dim3 ring_block{counting_threads + model::warp_size};
constexpr int bins = 256;

// [room]
/// A block's shared memory: a copy of the bins for each lane, and the ring.
/// @tparam fours of a counting thread, from each tile
template <int fours, int stages>
struct Room {
  static constexpr int vectors_of_tile = fours * counting_threads;

  std::uint32_t table[bins][model::warp_size];
  uint4 ring[stages][vectors_of_tile];
  TransferBarrier arrived[stages];
  TransferBarrier left[stages];
  int vectors_in[stages];  ///< 0 behind the last tile

  __device__ void open() {
    for (int stage = 0; stage < stages; ++stage) {
      initialize(arrived[stage], 1);
      initialize(left[stage], counting_warps);
    }
    publish_barriers();
  }
};
// [room]

/// Where blocks meet, as those of the long ring: a queue of tiles, and for each bin a sum and how many blocks
/// have added to it, in one word. All are zero before a launch and behind it.
struct Meeting {
  unsigned* queue;
  unsigned long long* sums;

  explicit Meeting(const Histogram& histogram)
      : queue(histogram.workspace),
        sums(reinterpret_cast<unsigned long long*>(histogram.workspace + MeetingPoint::words_of_line)) {}

  static constexpr std::int64_t words = MeetingPoint::words_of_line + std::int64_t{2} * bins;
  static constexpr int sums_of_line = model::line_bytes / 8;
  static constexpr int bits_of_sum = 48;

  /// Adds a block's count to a bin. If all other blocks have, it leaves the sum of all.
  __device__ void add(std::uint32_t* to, int bin, std::uint32_t count) const {
    constexpr auto block_added = 1ULL << bits_of_sum;
    const unsigned long long before = atomicAdd(&sums[bin], block_added + count);
    if (before >> bits_of_sum != gridDim.x - 1) return;
    to[bin] = static_cast<std::uint32_t>(before) + count;
    sums[bin] = 0;
    if (bin == 0) *queue = 0;
  }

  /// Brings the sums into the L2, from where the first block to add would have to wait for them.
  __device__ void prefetch_sums() const {
    for (int i = 0; i < bins; i += sums_of_line) asm volatile("prefetch.global.L2 [%0];" ::"l"(&sums[i]));
  }
};

// [ticket]
/// The next number of the queue. Of an atomicAdd the compiler may make one for all lanes of a warp that ask.
/// It hands out the answer with a shuffle, which waits for it at once. This instruction stays as it is: a
/// thread waits where it uses the number.
// NOLINTNEXTLINE(misc-const-correctness): the instruction writes there
__device__ inline unsigned take_ticket(unsigned* queue) {
  unsigned ticket = 0;  // NOLINT(misc-const-correctness): the instruction writes it
  asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], 0x7fffffff;"
               : "=r"(ticket)
               : "l"(queue)
               : "memory");
  return ticket;
}
// [ticket]

/// Sends for vectors, as lines that the L2 may give up before others.
// NOLINTNEXTLINE(misc-const-correctness): the hardware writes there
__device__ void load_first_out(uint4* shared, const uint4* from, unsigned vectors, TransferBarrier& arrival) {
  L2Policy policy = 0;  // NOLINT(misc-const-correctness): the instruction writes it
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(shared)),
      "l"(from), "r"(vectors * bytes_of_vector), "r"(shared_address(&arrival)), "l"(policy)
      : "memory");
}

// [producer]
/// The thread that asks for tiles. It knows the numbers of those of its first round. All others come from the
/// queue.
/// @tparam ahead whether it asks for a stage's next ticket as soon as it has used the last one
template <int fours, int stages, bool ahead>
struct Producer {
  Room<fours, stages>& room;
  const uint4* in{};
  std::int64_t vectors{};
  unsigned* queue{};
  unsigned tickets[stages]{};
  bool is_over = false;

  /// Asks for a tile, and says whether there is one. If not, the counting warps shall find an empty one.
  __device__ bool ask(int stage, unsigned tile) {
    const std::int64_t first = std::int64_t{tile} * room.vectors_of_tile;
    const auto count =
        static_cast<int>(min(max(vectors - first, std::int64_t{0}), std::int64_t{room.vectors_of_tile}));
    if (count == 0) return false;
    room.vectors_in[stage] = count;
    arrive_expecting(room.arrived[stage], static_cast<unsigned>(count) * bytes_of_vector);
    load_first_out(room.ring[stage], &in[first], static_cast<unsigned>(count), room.arrived[stage]);
    return true;
  }

  /// Tickets are less than 2^31, so this stores 0: but only when all answers of the queue are here. Then
  /// whoever sees that this block has counted may set the queue to zero.
  __device__ void end(int stage) {
    unsigned all = 0;
#pragma unroll
    for (const unsigned ticket : tickets) all |= ticket;
    room.vectors_in[stage] = static_cast<int>(all >> 31);
    arrive(room.arrived[stage]);
    is_over = true;
  }

  __device__ void begin() {
#pragma unroll
    for (int stage = 0; stage < stages; ++stage) {
      if (is_over) break;
      if (!ask(stage, stage * gridDim.x + blockIdx.x)) end(stage);
    }
    if (ahead && !is_over) {
#pragma unroll
      for (unsigned& ticket : tickets) ticket = take_ticket(queue);
    }
  }

  __device__ void go_on() {
    for (unsigned parity = 0; !is_over; parity ^= 1) {
#pragma unroll
      for (int stage = 0; stage < stages; ++stage) {
        if (is_over) break;
        wait(room.left[stage], parity);
        if (!ahead) tickets[stage] = take_ticket(queue);
        if (!ask(stage, stages * gridDim.x + tickets[stage])) {
          end(stage);
        } else if (ahead) {
          tickets[stage] = take_ticket(queue);
        }
      }
    }
  }
};
// [producer]

// [kernel]
/// @tparam early whether the first copies start before the table is zero
/// @tparam ahead as the producer's
template <int fours, int stages, bool early, bool ahead>
__global__ __launch_bounds__(ring_block.x, 1) void short_ring(Histogram histogram, Meeting meeting) {
  extern __shared__ uint4 shared[];
  auto& room = *reinterpret_cast<Room<fours, stages>*>(shared);
  const auto thread = static_cast<int>(threadIdx.x);
  const bool produces = thread == counting_threads;
  const auto* const in = reinterpret_cast<const uint4*>(histogram.words);
  const std::int64_t vectors = histogram.count / bytes_of_vector;
  const auto clear_table = [&] {
    if (thread < counting_threads) {
#pragma unroll
      for (int i = 0; i < bins; i += counting_warps) room.table[i + thread / 32][thread % 32] = 0;
    }
    __syncthreads();
  };
  if (produces) room.open();
  if (!early) clear_table();
  Producer<fours, stages, ahead> producer{room, in, vectors, meeting.queue};
  if (produces) producer.begin();
  if (early) clear_table();
  if (produces) {
    producer.go_on();
    meeting.prefetch_sums();
  }
  if (thread >= counting_threads) return;
  // [kernel]

  auto* const column = reinterpret_cast<std::uint32_t (*)[model::warp_size]>(&room.table[0][thread % 32]);
  int stage = 0;
  unsigned parity = 0;
  while (true) {
    wait(room.arrived[stage], parity);
    const int count = room.vectors_in[stage];
    if (count == 0) break;
    uint4 found[fours];
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      const int vector = counting_threads * i + thread;
      if (vector < count) found[i] = room.ring[stage][vector];
    }
    __syncwarp();  // so the arrival comes after the reads of all lanes
    if (thread % 32 == 0) arrive(room.left[stage]);
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      if (counting_threads * i + thread >= count) break;
      count_bytes(column, found[i].x);
      count_bytes(column, found[i].y);
      count_bytes(column, found[i].z);
      count_bytes(column, found[i].w);
    }
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
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
  if (thread % 32 < bins_of_warp) meeting.add(histogram.bins, first_bin + thread % 32, sum);
}

template <int fours, int stages, bool early, bool ahead>
void launch(cudaStream_t stream, const Histogram& histogram) {
  using Shared = Room<fours, stages>;
  const auto kernel = short_ring<fours, stages, early, ahead>;
  constexpr auto shared = static_cast<int>(sizeof(Shared));
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const unsigned grid = blocks_for(histogram.count / bytes_of_vector, Shared::vectors_of_tile, 1);
  kernel<<<grid, ring_block, std::size_t{shared}, stream>>>(histogram, Meeting(histogram));
}

/// Of whole vectors, and as many tiles. The copies are no loads of a warp. Each block finds an empty tile
/// behind those that it gets. Lanes of a warp that are the last to add are so for all of its bins.
model::Prediction predict(std::int64_t count, int vectors_of_tile) {
  const std::int64_t vectors = count / bytes_of_vector;
  const std::int64_t blocks = blocks_for(vectors, static_cast<unsigned>(vectors_of_tile), 1);
  const std::int64_t found = blocks_over(vectors, std::int64_t{vectors_of_tile}) + blocks;
  const auto one_word = [](int) { return 0; };
  const auto some_lanes = [](int lane) {
    return lane < bins / counting_warps ? model::Element(lane) : model::Element();
  };
  return model::Prediction{}
      .shared_store(blocks * bins, 4, own_lane)
      .shared_store(found, 4, first_lane)
      .shared_load(found * counting_warps, 4, one_word)
      .shared_load(vectors / model::warp_size, 16, own_lane)
      .shared_atomic(count / model::warp_size, own_lane)
      .shared_load(blocks * bins, 4, own_lane)
      .global_store(counting_warps, 4, some_lanes)
      .global_store(counting_warps, 8, some_lanes)
      .global_store(1, 4, first_lane);
}

/// How a ring is used, and what does so.
struct Form {
  int kib_of_tile;
  int stages;
  bool early;
  bool ahead;
  void (*launch)(cudaStream_t, const Histogram&);

  [[nodiscard]] int vectors_of_tile() const { return kib_of_tile * 1024 / bytes_of_vector; }

  [[nodiscard]] HistogramStep step() const {
    const int vectors = vectors_of_tile();
    return {.launch = launch, .workspace = Meeting::words, .predict = [=](std::int64_t count) {
              return predict(count, vectors);
            }};
  }
};

template <int fours, int stages, bool early = true, bool ahead = true>
constexpr Form form() {
  constexpr int kib = Room<fours, stages>::vectors_of_tile * bytes_of_vector / 1024;
  return {kib, stages, early, ahead, launch<fours, stages, early, ahead>};
}

/// Some lack one thing or both. A label in the PTX holds its kernel's number, and so does a fingerprint: a
/// new form comes last.
constexpr Form forms[]{
    form<1, 8>(),
    form<1, 8, false, true>(),
    form<1, 8, true, false>(),
    form<1, 8, false, false>(),
    form<1, 2>(),
    form<1, 3>(),
    form<1, 4>(),
    form<1, 6>(),
    form<1, 12>(),
    form<1, 24>(),
    form<2, 6>(),
    form<4, 6>(),
    form<4, 6, false, false>(),
    form<2, 3>(),
    form<2, 4>(),
    form<2, 8>(),
    form<2, 12>(),
    form<2, 6, true, false>(),
    form<1, 24, true, false>(),
};
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes()
                        .with("tile", {8, 16, 32})
                        .with("stages", {8, 2, 3, 4, 6, 12, 24})
                        .with("early", {1, 0})
                        .with("ahead", {1, 0})
                        .with("same", percents_of_same);
  for (const Setting& setting : axes.settings()) {
    for (const Form& form : forms) {
      const bool is_it =
          form.kib_of_tile == setting.number("tile") && form.stages == setting.number("stages") &&
          form.early == (setting.number("early") != 0) && form.ahead == (setting.number("ahead") != 0);
      const bool of_all_inputs = form.kib_of_tile <= 16 && form.stages <= 8 && form.early && form.ahead;
      if (is_it && (of_all_inputs || setting.number("same") == 0)) {
        add(histogram_variant("short-ring", setting, form.step()));
      }
    }
  }
}

namespace {
/// Counts bytes that are 0 and 255 by turns, twice with the same workspace.
void check_counts(const Form& form, std::int64_t count) {
  CAPTURE(count);
  GuardedBuffer<std::uint32_t> words(bytes.words_of(count));
  GuardedBuffer<std::uint32_t> counts(bins);
  GuardedBuffer<std::uint32_t> workspace(Meeting::words);
  words.fill([](std::int64_t) { return 0xFF00FF00U; });
  workspace.fill([](std::int64_t) { return 0U; });
  for (int launches = 0; launches < 2; ++launches) {
    form.launch(nullptr, {words.data(), count, counts.data(), workspace.data()});
    cuda_check(cudaGetLastError());
    List<std::uint32_t> found(bins);
    counts.copy_out(0, bins, found.data());
    for (int bin = 0; bin < bins; ++bin) {
      const std::int64_t expected = bin == 0 ? (count + 1) / 2 : (bin == 255 ? count / 2 : 0);
      CHECK(found.at(static_cast<std::size_t>(bin)) == expected);
    }
    List<std::uint32_t> left(static_cast<std::size_t>(Meeting::words));
    workspace.copy_out(0, Meeting::words, left.data());
    for (const std::uint32_t word : left) CHECK(word == 0);
  }
}

constexpr const Form& two_stages = forms[4];
constexpr std::int64_t tile = std::int64_t{two_stages.kib_of_tile} * 1024;
}  // namespace

TEST_SUITE("device") {
  TEST_CASE("the bytes behind the last tile that is whole are counted, and no ticket is left") {
    check_counts(two_stages, tile + 1);
    check_counts(two_stages, multiprocessors() * tile);  // no block uses a stage twice
  }

  // Here blocks use a stage again. compute-sanitizer's racecheck reports that the copy into it races with the
  // reads before: for a cp.async.bulk without a tensor map, in a loop, it takes no order from an mbarrier.
  // But they are in order. __syncwarp orders the reads of all lanes before the arrival of one of them. Its
  // mbarrier.arrive releases what came before. The producer waits for all counting warps by an
  // mbarrier.try_wait, which acquires it, and asks for the copy only then. The emulator's race checker and
  // the other tools of compute-sanitizer do run this test.
  TEST_CASE("wherever the last tile lies in the ring, all bytes are counted (beyond racecheck)") {
    const std::int64_t round = multiprocessors() * tile * two_stages.stages;  // that needs no ticket
    for (const std::int64_t count : {round - tile, round, round + 2 * tile + 3}) {
      check_counts(two_stages, count);
    }
  }
}
