// Each thread has a counter of one byte for each bin, which needs no atomics, and is emptied before it
// overflows.
#include "merge.hpp"

namespace {
constexpr int warps = 8;
constexpr int threads = warps * model::warp_size;
constexpr int blocks_of_multiprocessor = 3;              // of 65 KiB each
constexpr int loads = 5;                                 // of a thread that are on their way at a time
constexpr int rounds = 255 / (loads * bytes_of_vector);  // that a byte can count

// [table]
/// A thread's counters: four bins share a word, and all of its words lie in one bank.
struct Counters {
  std::uint32_t words[64][model::warp_size];
};
// [table]

// [count]
__device__ void count_bytes(std::uint8_t* own, std::uint32_t word) {
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) {
    const std::uint32_t bin = word >> shift & 0xFF;
    ++own[bin / 4 * sizeof(std::uint32_t[model::warp_size]) + bin % 4];
  }
}
// [count]

// [empty]
/// Moves the counts of a warp's threads to the lanes' totals: lane l has those of the bins 4 l and 128 + 4 l,
/// and of three more behind each. Two counts of 16 bits are added at once.
__device__ void empty(Counters& counters, int lane, std::uint32_t (&totals)[2][4]) {
  __syncwarp();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    std::uint32_t even = 0;
    std::uint32_t odd = 0;
#pragma unroll 8
    for (int i = 0; i < model::warp_size; ++i) {
      std::uint32_t& word = counters.words[half * 32 + lane][(lane + i) % 32];
      even += word & 0x00FF00FF;
      odd += word >> 8 & 0x00FF00FF;
      word = 0;
    }
    totals[half][0] += even & 0xFFFF;
    totals[half][1] += odd & 0xFFFF;
    totals[half][2] += even >> 16;
    totals[half][3] += odd >> 16;
  }
  __syncwarp();
}
// [empty]

// [kernel]
__global__ __launch_bounds__(threads, blocks_of_multiprocessor) void thread_bytes(Histogram histogram,
                                                                                  MeetingPoint point) {
  extern __shared__ Counters tables[];
  __shared__ std::uint32_t sums[256];
  const auto thread = static_cast<int>(threadIdx.x);
  const int lane = thread % model::warp_size;
  Counters& counters = tables[thread / model::warp_size];
#pragma unroll
  for (auto& row : counters.words) row[lane] = 0;
  sums[thread] = 0;
  __syncthreads();
  auto* const own = reinterpret_cast<std::uint8_t*>(&counters.words[0][lane]);
  std::uint32_t totals[2][4]{};

  const auto* const in = reinterpret_cast<const uint4*>(histogram.words);
  const std::int64_t vectors = histogram.count / bytes_of_vector;
  const Share share = share_of_block(vectors);
  int round = 0;
  for (std::int64_t i = share.first + thread; i - lane < share.last; i += std::int64_t{threads} * loads) {
    uint4 found[loads];
    load_vectors<threads>(in, i, share.last, found);
    count_words<threads>(found, i, share.last, [=](std::uint32_t word) { count_bytes(own, word); });
    if (++round == rounds) {
      empty(counters, lane, totals);
      round = 0;
    }
  }
  empty(counters, lane, totals);
  const std::int64_t left = vectors * bytes_of_vector + thread;  // the last vector, which is not whole
  if (blockIdx.x == 0 && left < histogram.count) {
    atomicAdd(&sums[reinterpret_cast<const std::uint8_t*>(in)[left]], 1U);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) atomicAdd(&sums[i / 4 * 128 + lane * 4 + i % 4], totals[i / 4][i % 4]);
  __syncthreads();
  merge<256>(point, histogram.bins, [&](int bin) { return sums[bin]; });
}
// [kernel]

void launch_blocks(unsigned grid, cudaStream_t stream, const Histogram& histogram) {
  constexpr int shared = warps * sizeof(Counters);
  cuda_check(cudaFuncSetAttribute(thread_bytes, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  thread_bytes<<<grid, threads, shared, stream>>>(histogram, MeetingPoint(histogram));
}

void launch(cudaStream_t stream, const Histogram& histogram) {
  launch_blocks(blocks_for(histogram.count / bytes_of_vector, threads * loads, blocks_of_multiprocessor),
                stream, histogram);
}

HistogramStep step() { return {.launch = launch, .workspace = MeetingPoint::words_for(256), .predict = {}}; }
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("same", percents_of_same).settings()) {
    add(histogram_variant("thread-bytes", setting, step()));
  }
}

TEST_SUITE("device") {
  TEST_CASE("no counter of a byte overflows") {
    // By one block: several would share the bytes, and no counter would be full.
    HistogramStep by_one_block = step();
    by_one_block.launch = [](cudaStream_t stream, const Histogram& histogram) {
      launch_blocks(1, stream, histogram);
    };
    constexpr std::int64_t until_full = std::int64_t{rounds} * loads * threads * bytes_of_vector;
    for (const std::int64_t count : {until_full - 1, until_full, until_full + 1, 2 * until_full + 17}) {
      for (const int value : {0, 255}) {
        const auto counts = counts_of_constant(by_one_block, count, value);
        for (int bin = 0; bin < 256; ++bin) {
          CHECK(counts.at(static_cast<std::size_t>(bin)) == (bin == value ? count : 0));
        }
      }
    }
  }
}
