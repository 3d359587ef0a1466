// Warps of a multiprocessor note the clock before they load, when the data have come, and when they have
// worked on them: who waits when?

#include "problem.hpp"

namespace {
constexpr int noted_turns = 16;
constexpr int events = 3;  // of a turn: it loads, it has its data, it has worked on them
constexpr int most_warps = 16;
constexpr int multiplications = 128;

/// The clock, read when a value is known.
/// @param never not for the compiler to see: no value is it
__device__ std::uint32_t clock_behind(std::uint32_t value, std::uint32_t never) {
  if (value == never) return 0;
  return static_cast<std::uint32_t>(clock());
}

// [kernel]
/// @param cycles takes those of the first block's first warp. If events are noted, the clock at each of them
/// follows, of each warp and turn of this block
/// @param one not for the compiler to see: times it a word stays what it is
template <int loads, bool noted>
__global__ __launch_bounds__(most_warps * 32) void load_and_work(const std::uint32_t* __restrict__ in,
                                                                 std::uint32_t* __restrict__ sums,
                                                                 std::int64_t* cycles, std::int64_t turns,
                                                                 std::uint32_t one, std::uint32_t never) {
  __shared__ std::uint32_t stamps[most_warps][noted_turns][events];
  const std::int64_t warps = std::int64_t{gridDim.x} * blockDim.x / 32;
  const unsigned own = threadIdx.x / 32;
  const std::int64_t warp = std::int64_t{blockIdx.x} * blockDim.x / 32 + own;
  std::uint32_t sum = 0;
  __syncthreads();
  const auto begin = static_cast<std::uint32_t>(clock());
#pragma unroll 1
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    [[maybe_unused]] const std::uint32_t begun = noted ? clock_behind(sum, never) : 0;
    const std::int64_t place = (turn * warps + warp) * loads * 32 + threadIdx.x % 32;
    std::uint32_t words[loads];
#pragma unroll
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
    for (int i = 0; i < loads; ++i) words[i] = __ldcg(&in[place + i * 32]);
    std::uint32_t found = 0;
#pragma unroll
    for (const std::uint32_t one_word : words) found += one_word;
    [[maybe_unused]] const std::uint32_t come = noted ? clock_behind(found, never) : 0;
#pragma unroll
    for (int i = 0; i < multiplications; ++i) found *= one;
    if constexpr (noted) {
      const std::uint32_t worked = clock_behind(found, never);
      if (turn < noted_turns && threadIdx.x % 32 == 0) {
        stamps[own][turn][0] = begun - begin;
        stamps[own][turn][1] = come - begin;
        stamps[own][turn][2] = worked - begin;
      }
    }
    sum += found;
  }
  const std::uint32_t end = clock_behind(sum, never);
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  if (threadIdx.x % 32 == 0) sums[warp] = sum;
  if (warp == 0 && threadIdx.x == 0) *cycles = end - begin;
  if constexpr (noted) {
    __syncthreads();
    if (blockIdx.x != 0) return;
    const std::int64_t stamps_of_warp = (turns < noted_turns ? turns : noted_turns) * events;
#pragma unroll 1
    for (std::int64_t i = threadIdx.x % 32; i < stamps_of_warp; i += 32) {
      cycles[1 + own * stamps_of_warp + i] = (&stamps[own][0][0])[i];
    }
  }
}
// [kernel]

using Kernel = void (*)(const std::uint32_t* in, std::uint32_t* sums, std::int64_t* cycles,
                        std::int64_t turns, std::uint32_t one, std::uint32_t never);

template <bool noted>
Kernel kernel_of(int loads) {
  return loads == 1 ? load_and_work<1, noted> : load_and_work<4, noted>;
}

/// Who loads what: the shape is the turns of each warp.
struct Warps {
  std::int64_t turns, loads, of_block, all;
  bool noted;

  Warps(std::int64_t turns_of_warp, const Setting& setting)
      : turns(turns_of_warp),
        loads(setting.number("loads")),
        of_block(setting.number("warps")),
        all(of_block * multiprocessors()),
        noted(setting.number("noted") != 0) {}

  [[nodiscard]] std::int64_t words() const { return turns * all * loads * model::warp_size; }
  [[nodiscard]] std::int64_t turns_noted() const { return noted ? min(turns, std::int64_t{noted_turns}) : 0; }
};

Owned<Problem> make(const Warps& warps) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {warps.words()}, word);
  auto& sums =
      problem->output<std::uint32_t>("sums", {warps.all}, [=](std::uint64_t seed, std::int64_t warp) {
        const std::int64_t words = warps.loads * model::warp_size;
        std::uint32_t sum = 0;
        for (std::int64_t turn = 0; turn < warps.turns; ++turn) {
          sum += sum_of_words(seed, (turn * warps.all + warp) * words, words);
        }
        return sum;
      });
  auto* const cycles = problem->numbers(1 + warps.of_block * warps.turns_noted() * events);
  problem->launches([=, &in, &sums](cudaStream_t stream) {
    const auto kernel = warps.noted ? kernel_of<true>(static_cast<int>(warps.loads))
                                    : kernel_of<false>(static_cast<int>(warps.loads));
    constexpr std::uint32_t never = 0x80000000;
    kernel<<<static_cast<unsigned>(multiprocessors()),
             static_cast<unsigned>(warps.of_block * model::warp_size), 0, stream>>>(
        in.data(), sums.data(), cycles, warps.turns, 1, never);
  });
  return problem;
}

/// The clock at each event, from the first of them on.
Function<Grid(Problem&)> stamps_of(std::int64_t warps) {
  return [=](Problem& problem) {
    const Numbers written = written_numbers(problem);  // the first is another one's
    Numbers values;
    for (std::size_t i = 1; i < written.size(); ++i) values.push_back(written[i]);
    const std::int64_t turns = ssize(values) / warps / events;
    return Grid{{warps, turns, events}, std::move(values)};
  };
}

/// At a shape of as many turns as are noted, or fewer.
model::Prediction predict(const Warps& warps) {
  model::Prediction prediction;
  prediction.global_load(warps.turns * warps.all * warps.loads, 4, own_lane)
      .global_store(warps.all, 4, first_lane)
      .global_store(1, 8, first_lane);
  if (!warps.noted) return prediction;
  const std::int64_t stamps = warps.turns * events;
  const std::int64_t whole = stamps / model::warp_size;
  const auto rest = [=](int lane) {
    return lane < stamps % model::warp_size ? model::Element(lane + 1) : model::Element();
  };
  return prediction.shared_store(warps.turns * warps.all * events, 4, first_lane)
      .shared_load(warps.of_block * whole, 4, own_lane)
      .shared_load(warps.of_block, 4, rest)
      .global_store(warps.of_block * whole, 8, [](int lane) { return lane + 1; })
      .global_store(warps.of_block, 8, rest);
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("warps", {8, 1, 4, most_warps}).with("loads", {1, 4}).with("noted", {1, 0});
  for (const Setting& setting : axes.settings()) {
    Variant made("timeline", setting);
    made.checked = {{0}, {5}, {20}};
    made.measured = {{64}};
    made.counted = {{noted_turns}};
    made.make = [=](const Shape& shape) { return make(Warps(shape[0], setting)); };
    made.amounts = [=](const Shape& shape) { return Amounts{.bytes = 4 * Warps(shape[0], setting).words()}; };
    made.predict = [=](const Shape& shape) { return predict(Warps(shape[0], setting)); };
    made.quantities = {{"duration", "cycles", Origin::clock, written_number()}};
    if (setting.number("noted") != 0) {
      made.series = {
          {"stamps", "cycles", {"warp", "turn", "event"}, Origin::clock, stamps_of(setting.number("warps"))}};
    }
    add(std::move(made));
  }
}
