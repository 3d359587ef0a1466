// Each multiprocessor has one warp. They read one after the other, or all at once: how long is a turn in
// which a warp waits for so many lines, and how much longer on the slowest multiprocessor?
#include <algorithm>
#include <numeric>

#include "problem.hpp"

namespace {
constexpr unsigned nanoseconds_between_looks = 4000;
constexpr int threads_of_reader = 512;
constexpr std::int64_t words_of_mebibyte = 1 << 18;

__device__ std::uint32_t words_of(std::uint32_t found) { return found; }
__device__ std::uint32_t words_of(uint2 found) { return found.x + found.y; }
__device__ std::uint32_t words_of(uint4 found) { return found.x + found.y + found.z + found.w; }

/// @param none no word of all
__global__ void read_words(const uint4* __restrict__ words, std::uint32_t none, std::uint32_t* found) {
  const uint4 four = words[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x];
  if ((four.x & four.y & four.z & four.w) == none) *found = 0;
}

/// The turns of bytes-in-flight, by one warp of each multiprocessor.
/// @param next the block that reads next if each reads `alone`; 0 between launches
/// @param cycles takes the mean of a turn, of each block
template <typename Vector, int loads, bool alone>
__global__ __launch_bounds__(32, 1) void read_in_turns(const Vector* __restrict__ in,
                                                       std::uint32_t* __restrict__ sums, std::int64_t* cycles,
                                                       std::uint32_t* next, std::int64_t lap,
                                                       std::int64_t turns) {
  // [wait]
  if constexpr (alone) {
    if (threadIdx.x == 0) {
      do {
        __nanosleep(nanoseconds_between_looks);
      } while (atomicAdd(next, 0) != blockIdx.x);
    }
    __syncwarp();
  }
  // [wait]
  std::int64_t turn_of_lap = 0;
  std::uint32_t sum = 0;
  const std::int64_t begin = clock64();
#pragma unroll 1
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const std::int64_t place = (turn_of_lap * gridDim.x + blockIdx.x) * loads * 32 + threadIdx.x % 32;
    Vector found[loads];
#pragma unroll
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
    for (int i = 0; i < loads; ++i) found[i] = __ldcg(&in[place + i * 32]);
#pragma unroll
    for (const Vector one : found) sum += words_of(one);
    if (++turn_of_lap == lap) turn_of_lap = 0;
  }
  const std::int64_t took = (clock64() - begin) / max(turns, std::int64_t{1});
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = sum;
  cycles[blockIdx.x] = took;
  // [hand-on]
  if constexpr (alone) {
    __threadfence();
    atomicExch(next, blockIdx.x + 1 < gridDim.x ? blockIdx.x + 1 : 0);
  }
  // [hand-on]
}

/// Who reads what at a shape, the turns of each warp and the mebibytes of other words that a kernel in front
/// may read.
struct Turns {
  std::int64_t turns, lines, blocks, words_in_front;
  bool alone, clean;

  Turns(const Shape& shape, const Setting& setting)
      : turns(setting.number("lines") > 0 ? shape[0] : 0),
        lines(setting.number("lines")),
        blocks(multiprocessors()),
        words_in_front(setting.number("clean") != 0 ? shape[1] * words_of_mebibyte : 0),
        alone(setting.number("alone") != 0 && turns > 0),
        clean(setting.number("clean") != 0) {}

  [[nodiscard]] std::int64_t words_of_turn() const { return lines * model::line_bytes / 4; }
  [[nodiscard]] std::int64_t words() const { return turns * blocks * words_of_turn(); }
  /// As wide as it takes for few loads.
  [[nodiscard]] int width() const { return static_cast<int>(4 * std::clamp<std::int64_t>(lines, 1, 4)); }
  [[nodiscard]] std::int64_t loads() const { return max(lines / 4, std::int64_t{1}); }
};

template <typename Vector, int loads>
void launch(cudaStream_t stream, const Turns& turns, const std::uint32_t* in, std::uint32_t* sums,
            std::int64_t* cycles, std::uint32_t* next) {
  const auto kernel = turns.alone ? read_in_turns<Vector, loads, true> : read_in_turns<Vector, loads, false>;
  kernel<<<static_cast<unsigned>(turns.blocks), model::warp_size, 0, stream>>>(
      reinterpret_cast<const Vector*>(in), sums, cycles, next, turns.turns, turns.turns);
}

auto launch_of(const Turns& turns) {
  if (turns.lines <= 1) return launch<std::uint32_t, 1>;
  if (turns.lines == 2) return launch<uint2, 1>;
  if (turns.lines == 4) return launch<uint4, 1>;
  if (turns.lines == 8) return launch<uint4, 2>;
  if (turns.lines == 16) return launch<uint4, 4>;
  if (turns.lines == 32) return launch<uint4, 8>;
  return launch<uint4, 16>;
}

Owned<Problem> make(const Turns& turns) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {turns.words()}, word);
  auto& in_front = problem->input<std::uint32_t>("in-front", {turns.words_in_front}, word);
  auto& next = problem->input<std::uint32_t>("next", {1}, [](auto, auto) { return 0U; });
  auto& sums =
      problem->output<std::uint32_t>("sums", {turns.blocks}, [=](std::uint64_t seed, std::int64_t block) {
        std::uint32_t sum = 0;
        for (std::int64_t turn = 0; turn < turns.turns; ++turn) {
          const std::int64_t first = (turn * turns.blocks + block) * turns.words_of_turn();
          sum += sum_of_words(seed, first, turns.words_of_turn());
        }
        return sum;
      });
  auto* const cycles = problem->numbers(turns.blocks);
  problem->launches([=, &in, &in_front, &next, &sums](cudaStream_t stream) {
    if (turns.clean) {
      const auto blocks = static_cast<unsigned>(turns.words_in_front / 4 / threads_of_reader);
      read_words<<<blocks, threads_of_reader, 0, stream>>>(reinterpret_cast<const uint4*>(in_front.data()),
                                                           ~0U, sums.data());
    }
    launch_of(turns)(stream, turns, in.data(), sums.data(), cycles, next.data());
  });
  return problem;
}

double mean(Problem& problem) {
  const Numbers cycles = written_numbers(problem);
  const std::int64_t all = std::accumulate(cycles.begin(), cycles.end(), std::int64_t{0});
  return static_cast<double>(all) / static_cast<double>(ssize(cycles));
}

double most(Problem& problem) {
  const Numbers cycles = written_numbers(problem);
  return static_cast<double>(*std::ranges::max_element(cycles));
}
}  // namespace

/// The shape counts turns, and the mebibytes that a kernel in front reads with `clean`: so much that the L2
/// keeps no line that somebody has written. Who waits for no line makes no turn: such a launch does nothing.
void weft::register_steps() {
  const Axes axes =
      Axes().with("lines", {1, 2, 4, 8, 16, 32, 64, 0}).with("alone", {1, 0}).with("clean", {0, 1});
  for (const Setting& setting : axes.settings()) {
    const bool alone = setting.number("alone") != 0;
    const std::int64_t lines = setting.number("lines");
    if (alone ? setting.number("clean") != 0 : lines != 8) continue;
    Variant made("one-warp", setting);
    made.kind = Kind::experiment;
    made.checked = {{1, 1}, {8, 1}};
    made.measured = {{500, 128}};
    made.counted = {{4, 1}};
    made.polls = alone && lines > 0;
    made.make = [=](const Shape& shape) { return make(Turns(shape, setting)); };
    made.amounts = [=](const Shape& shape) {
      const Turns turns(shape, setting);
      return Amounts{.bytes = 4 * (turns.words() + turns.words_in_front + turns.blocks)};
    };
    made.quantities = {{"turn", "cycles", Origin::clock, mean},
                       {"slowest-turn", "cycles", Origin::clock, most}};
    made.predict = [=](const Shape& shape) {
      const Turns turns(shape, setting);
      return model::Prediction{}
          .global_load(turns.words_in_front / 4 / model::warp_size, 16, own_lane)
          .global_load(turns.turns * turns.blocks * turns.loads(), turns.width(), own_lane)
          .global_store(turns.blocks, 4, first_lane)
          .global_store(turns.blocks, 8, first_lane);
    };
    add(std::move(made));
  }
}
