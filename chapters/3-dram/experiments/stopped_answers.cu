// All multiprocessors read as fast as they can, lines that the L2 holds or lines that it does not, and note
// when answers come. Once in a while lines wait for long: do all answers stop then, or those of the memory
// alone?
#include <algorithm>
#include <optional>
#include <vector>

#include "kernel/global_timer.hpp"
#include "large_memory.hpp"
#include "model/access.hpp"
#include "past_l2.hpp"  // sm_80

namespace {
constexpr unsigned threads = 1024;  // of a block, one on each multiprocessor
constexpr int together = 4;         // loads that a thread waits for at the same time
constexpr std::int64_t threads_of_line = model::line_bytes / static_cast<int>(sizeof(uint4));
constexpr std::int64_t hit_bytes = 16 * mebibyte;  // the L2 holds them, however it is divided
constexpr std::int64_t nanoseconds_of_bin = 64;
constexpr std::int64_t lead =
    8;  // nothing is noted in the first part of so many: blocks begin, the L2 is filled

/// Numbers: when the first bin begins; and how many answers came in each bin, those of misses and those of
/// hits.
__global__ void begin(std::int64_t* numbers, std::int64_t bins) {
  for (std::int64_t i = threadIdx.x; i < 2 * bins; i += blockDim.x) numbers[1 + i] = 0;
  if (threadIdx.x == 0) numbers[0] = global_nanosecond() + bins * nanoseconds_of_bin / lead;
}

/// Each warp reads four times four lines, and notes when all of them have come; then the next ones.
/// @param lines of the memory, and @param hit_lines of its begin; both powers of two
/// @param hits of a hundred blocks so many read the begin again and again, and all others read on
/// @param seed what the memory was filled with: each word is compared
/// @param wrong takes of each block whether a word was another
__global__ void __launch_bounds__(threads)
    read_and_note(const uint4* __restrict__ memory, std::int64_t lines, std::int64_t hit_lines, int hits,
                  std::uint32_t seed, std::int64_t bins, std::int64_t* numbers, std::uint32_t* wrong) {
  extern __shared__ unsigned noted[];
#pragma unroll 1
  for (std::int64_t bin = threadIdx.x; bin < bins; bin += threads) noted[bin] = 0;
  __syncthreads();
  const bool hit =
      static_cast<int>(blockIdx.x * hits / 100) != static_cast<int>((blockIdx.x + 1) * hits / 100);
  const std::int64_t last = (hit ? hit_lines : lines) - 1;
  const std::int64_t begins = numbers[0];
  const std::int64_t part = threadIdx.x % threads_of_line;
  const std::int64_t stride = std::int64_t{gridDim.x} * threads / threads_of_line;
  bool other = false;
#pragma unroll 1
  for (std::int64_t line = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / threads_of_line;;
       line += together * stride) {
    uint4 found[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      found[i] = __ldcg(memory + ((line + i * stride) & last) * threads_of_line + part);
    }
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const std::int64_t at = ((line + i * stride) & last) * threads_of_line + part;
      const std::uint32_t word = LargeMemory::word(seed, at * std::int64_t{sizeof(uint4)});
      other = other || found[i].x != word || found[i].y != word + 5 || found[i].z != word + 10 ||
              found[i].w != word + 15;
    }
    if (__any_sync(~0U, static_cast<int>(other)) != 0) break;  // the timer is not read before all have come
    std::int64_t bin = 0;
    if (threadIdx.x % model::warp_size == 0) {
      bin = (global_nanosecond() - begins) / nanoseconds_of_bin;
      if (bin >= 0 && bin < bins) atomicAdd(noted + bin, 1U);
    }
    if (__shfl_sync(~0U, bin, 0) >= bins) break;
  }
  const int any_other = __syncthreads_or(static_cast<int>(other));
  if (threadIdx.x == 0) wrong[blockIdx.x] = any_other;
  std::int64_t* const counts = numbers + 1 + (hit ? bins : 0);
#pragma unroll 1
  for (std::int64_t bin = threadIdx.x; bin < bins; bin += threads) {
    if (noted[bin] > 0) atomicAdd(reinterpret_cast<unsigned long long*>(counts + bin), noted[bin]);
  }
}

/// What a launch found. Times are nanoseconds.
struct Found {
  std::int64_t silences = 0;  ///< in which fewer answers come than a tenth of the usual ones
  double usual = 0;           ///< answers in a bin, the median
  double least = 0;           ///< answers in a bin, as a share of the usual ones
  double silent = 0;          ///< of a silence, the median
  double distance = 0;        ///< from one's begin to the next one's, the median
};

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

/// Silences with less than two microseconds between them are one.
/// @param counts of the answers, bin after bin
Found found_in(const std::vector<double>& counts) {
  constexpr double few = 0.1;
  constexpr std::int64_t bins_of_one = 2000 / nanoseconds_of_bin;
  Found found;
  found.usual = middle(counts);
  if (found.usual == 0) return found;
  found.least = *std::ranges::min_element(counts) / found.usual;
  std::vector<double> begins, lengths;
  std::int64_t last = -bins_of_one;
  for (std::int64_t bin = 0; bin < std::ssize(counts); ++bin) {
    if (counts[static_cast<std::size_t>(bin)] >= few * found.usual) continue;
    if (bin - last >= bins_of_one) {
      begins.push_back(static_cast<double>(bin * nanoseconds_of_bin));
      lengths.push_back(0);
    }
    lengths.back() += nanoseconds_of_bin;
    last = bin;
  }
  found.silences = std::ssize(begins);
  found.silent = middle(lengths);
  std::vector<double> distances;
  for (std::size_t i = 1; i < begins.size(); ++i) distances.push_back(begins[i] - begins[i - 1]);
  found.distance = middle(distances);
  return found;
}

class AnswersProblem final : public LargeMemoryProblem {
 public:
  /// @param microseconds in which answers are noted
  AnswersProblem(std::int64_t bytes, std::int64_t microseconds, int hits)
      : LargeMemoryProblem(bytes), bins_(microseconds * 1000 / nanoseconds_of_bin), hits_(hits) {
    const unsigned blocks = blocks_of_card();
    auto& wrong = output<std::uint32_t>("wrong", {blocks}, [](auto, auto) { return 0; });
    std::int64_t* const notes = numbers(1 + 2 * bins_);
    launches([=, this, &wrong](cudaStream_t stream) {
      found_.reset();
      begin<<<1, threads, 0, stream>>>(notes, bins_);
      const auto shared = static_cast<std::size_t>(bins_) * sizeof(unsigned);
      const std::int64_t lines = bytes / model::line_bytes;
      read_and_note<<<blocks, threads, shared, stream>>>(
          reinterpret_cast<const uint4*>(memory().data()), lines,
          std::min(lines, hit_bytes / model::line_bytes), hits, static_cast<std::uint32_t>(seed()), bins_,
          notes, wrong.data());
    });
  }

  /// Of the last launch: of the hits, if there are any.
  const Found& found() {
    if (!found_) {
      const Numbers numbers = written_numbers();
      const auto* const first = numbers.begin() + 1 + (hits_ > 0 ? bins_ : 0);
      found_ = found_in({first, first + bins_});
    }
    return *found_;
  }

 private:
  std::int64_t bins_;
  int hits_;
  std::optional<Found> found_;
};

template <typename Part>
Quantity quantity(const char* name, const char* unit, Part Found::* part) {
  return {name, unit, Origin::clock, [=](Problem& problem) {
            return static_cast<double>(dynamic_cast<AnswersProblem&>(problem).found().*part);
          }};
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("hits", {0, 100, 50}).settings()) {
    const int hits = setting.number();
    Variant made("stopped-answers", setting);
    made.kind = Kind::experiment;
    made.curve = true;
    made.checked = {{1, 1}, {32, 4}};
    made.measured = {{1 << 13, 768}};
    made.l2 = L2::kept;
    made.rated_by = Rating::accesses;
    made.make = [=](const Shape& shape) {
      return make_owned<AnswersProblem>(shape[0] * mebibyte, shape[1], hits);
    };
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[1]}; };
    made.quantities = {quantity("silences", "1", &Found::silences), quantity("usual", "1", &Found::usual),
                       quantity("least", "1", &Found::least), quantity("silent", "ns", &Found::silent),
                       quantity("distance", "ns", &Found::distance)};
    add(std::move(made));
  }
}

TEST_CASE(
    "planted silences are found, with their length and distance, and none where answers get fewer only") {
  std::vector<double> counts(12'000);
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    counts[bin] = 90 + static_cast<double>(bin % 21);
    const std::size_t place = (bin + 1000) % 1565;  // 100 160 ns
    if (place < 5 || (place >= 12 && place < 14)) counts[bin] = place == 2 ? 0 : 9;
    if (place == 700) counts[bin] = 15;
  }
  const Found found = found_in(counts);
  CHECK(found.silences == 8);
  CHECK(found.usual == 100);
  CHECK(found.least == 0);
  CHECK(found.silent == 7 * nanoseconds_of_bin);
  CHECK(found.distance == 1565 * nanoseconds_of_bin);
  for (double& count : counts) count = std::max(count, 15.);
  CHECK(found_in(counts).silences == 0);
  CHECK(found_in(counts).least == doctest::Approx(0.15));
  CHECK(found_in(std::vector<double>(100)).usual == 0);
}

TEST_SUITE("device") {
  TEST_CASE("a word that is another is seen by its block") {
    constexpr std::int64_t bins = 16;
    LargeMemory memory(mebibyte);
    memory.fill(7);
    GuardedBuffer<std::int64_t> notes(1 + 2 * bins);
    GuardedBuffer<std::uint32_t> wrong(1);
    for (const std::uint32_t seed : {7U, 8U}) {
      begin<<<1, threads>>>(notes.data(), bins);
      read_and_note<<<1, threads, bins * sizeof(unsigned)>>>(reinterpret_cast<const uint4*>(memory.data()),
                                                             mebibyte / model::line_bytes, 64, 0, seed, bins,
                                                             notes.data(), wrong.data());
      cuda_check(cudaDeviceSynchronize());
      std::uint32_t found = 2;
      wrong.copy_out(0, 1, &found);
      CHECK(found == (seed == 7 ? 0 : 1));
    }
  }
}
