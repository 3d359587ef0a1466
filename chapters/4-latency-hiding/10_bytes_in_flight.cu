// A block on each multiprocessor has so many warps, each with so many loads on their way, of so many bytes a
// lane: how many bytes does it take to keep the DRAM busy?

#include "problem.hpp"

namespace {
constexpr int bytes_of_registers = 256;  // that loads of a thread may fill where its block has 512 threads
constexpr int most_loads = 16;

__device__ std::uint32_t words_of(std::uint32_t found) { return found; }
__device__ std::uint32_t words_of(uint2 found) { return found.x + found.y; }
__device__ std::uint32_t words_of(uint4 found) { return found.x + found.y + found.z + found.w; }

/// Where loads fill half of the registers that a thread can have, a block has half of the threads.
template <typename Vector, int loads>
inline constexpr int most_threads = loads * sizeof(Vector) < bytes_of_registers ? 1024 : 512;

// [kernel]
/// Turn after turn a warp waits for all that it has asked for.
/// @param sums takes the sum of a warp's words; @param cycles the mean of a turn, of the first warp
/// @param lap of so many turns, after which each warp is again where it was
template <typename Vector, int loads>
__global__ __launch_bounds__(most_threads<Vector, loads>,
                             1) void read_in_turns(const Vector* __restrict__ in,
                                                   std::uint32_t* __restrict__ sums, std::int64_t* cycles,
                                                   std::int64_t lap, std::int64_t turns) {
  const std::int64_t warps = std::int64_t{gridDim.x} * blockDim.x / 32;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  std::int64_t turn_of_lap = 0;
  std::uint32_t sum = 0;
  const std::int64_t begin = clock64();
#pragma unroll 1
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const std::int64_t place = (turn_of_lap * warps + warp) * loads * 32 + threadIdx.x % 32;
    Vector found[loads];
#pragma unroll
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
    for (int i = 0; i < loads; ++i) found[i] = __ldcg(&in[place + i * 32]);
#pragma unroll
    for (const Vector one : found) sum += words_of(one);
    if (++turn_of_lap == lap) turn_of_lap = 0;
  }
  if (warp == 0 && threadIdx.x == 0) *cycles = (clock64() - begin) / turns;
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  if (threadIdx.x % 32 == 0) sums[warp] = sum;
}
// [kernel]

/// Who reads what at a shape, the mebibytes of a lap and the turns of each warp.
struct Turns {
  std::int64_t turns, loads, width, warps_of_block, warps, lap;

  Turns(const Shape& shape, const Setting& setting)
      : turns(shape[1]),
        loads(setting.number("loads")),
        width(setting.number("width")),
        warps_of_block(setting.number("warps")),
        warps(warps_of_block * multiprocessors()),
        lap(min(max((shape[0] << 20) / (4 * words_of_warp() * warps), std::int64_t{1}), turns)) {}

  [[nodiscard]] std::int64_t words_of_warp() const { return loads * model::warp_size * width / 4; }
  [[nodiscard]] std::int64_t words() const { return lap * warps * words_of_warp(); }
};

std::uint32_t sum_of_warp(std::uint64_t seed, std::int64_t warp, const Turns& turns) {
  std::uint32_t sum = 0;
  for (std::int64_t turn = 0; turn < turns.turns; ++turn) {
    const std::int64_t first = (turn % turns.lap * turns.warps + warp) * turns.words_of_warp();
    sum += sum_of_words(seed, first, turns.words_of_warp());
  }
  return sum;
}

template <typename Vector>
auto kernel_of(std::int64_t loads) {
  if (loads == 1) return read_in_turns<Vector, 1>;
  if (loads == 2) return read_in_turns<Vector, 2>;
  if (loads == 4) return read_in_turns<Vector, 4>;
  if (loads == 8) return read_in_turns<Vector, 8>;
  return read_in_turns<Vector, most_loads>;
}

template <typename Vector>
void launch(cudaStream_t stream, const Turns& turns, const std::uint32_t* in, std::uint32_t* sums,
            std::int64_t* cycles) {
  const auto threads = static_cast<unsigned>(turns.warps_of_block * model::warp_size);
  kernel_of<Vector>(turns.loads)<<<static_cast<unsigned>(multiprocessors()), threads, 0, stream>>>(
      reinterpret_cast<const Vector*>(in), sums, cycles, turns.lap, turns.turns);
}

Owned<Problem> make(const Shape& shape, const Setting& setting) {
  const Turns turns(shape, setting);
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {turns.words()}, word);
  auto& sums = problem->output<std::uint32_t>(
      "sums", {turns.warps}, [=](auto seed, std::int64_t warp) { return sum_of_warp(seed, warp, turns); });
  auto* const cycles = problem->numbers();
  problem->launches([=, &in, &sums](cudaStream_t stream) {
    const auto launch_of = turns.width == 4   ? launch<std::uint32_t>
                           : turns.width == 8 ? launch<uint2>
                                              : launch<uint4>;
    launch_of(stream, turns, in.data(), sums.data(), cycles);
  });
  return problem;
}
}  // namespace

/// Left out is what would fill all 64 Ki registers of a multiprocessor with what it has asked for.
void weft::register_steps() {
  const Axes axes = Axes()
                        .with("warps", {8, 1, 2, 4, 16, 32})
                        .with("loads", {4, 1, 2, 8, most_loads})
                        .with("width", {16, 4, 8});
  for (const Setting& setting : axes.settings()) {
    const std::int64_t bytes = std::int64_t{setting.number("loads")} * setting.number("width");
    if (setting.number("warps") == 32 && bytes >= bytes_of_registers) continue;
    Variant made("bytes-in-flight", setting);
    made.curve = true;
    made.checked = {{1, 8}};
    made.measured = {{512, 500}};
    made.counted = {{1, 4}};
    made.make = [=](const Shape& shape) { return make(shape, setting); };
    made.amounts = [=](const Shape& shape) {
      const Turns turns(shape, setting);
      return Amounts{.bytes = 4 * turns.turns * turns.warps * turns.words_of_warp()};
    };
    made.quantities = {{"turn", "cycles", Origin::clock, written_number()}};
    made.predict = [=](const Shape& shape) {
      const Turns turns(shape, setting);
      return model::Prediction{}
          .global_load(turns.turns * turns.warps * turns.loads, static_cast<int>(turns.width), own_lane)
          .global_store(turns.warps, 4, first_lane)
          .global_store(1, 8, first_lane);
    };
    add(std::move(made));
  }
}
