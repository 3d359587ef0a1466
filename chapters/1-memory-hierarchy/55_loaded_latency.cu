// A thread goes from link to link while all other multiprocessors read, or copy. They have more and more
// bytes on their way: how long does a load of the thread take?
#include <memory>

#include "latency.hpp"

namespace {
constexpr std::int64_t apart = 509;  // lines, so that no load finds what an earlier one has fetched
constexpr std::int64_t most_lines = std::int64_t{1} << 19;
constexpr std::int64_t words_of_piece = std::int64_t{model::warp_size} * 4;  // what a warp asks for at once
constexpr int pieces_of_kibibyte = 2;
constexpr int most_warps = 32;     // of a block
constexpr int turns_of_load = 4;   // of the other warps take longer than so many loads of the thread:
constexpr int loads_of_turns = 3;  // the load lasts until the thread has come to its end

// [kernel]
/// Block 0 has the thread; the warps of the other blocks read piece after piece, `together` pieces at a time.
/// @param cycles takes the mean of the thread's loads
/// @param out takes, if they copy, what they read; @param sums the sum of a warp's words
/// @param lap turns after which a warp begins again at its first piece
template <int together, bool copies>
__global__ void walk_under_load(const Link* first, Link* end, std::int64_t* cycles,
                                const uint4* __restrict__ in, uint4* __restrict__ out,
                                std::uint32_t* __restrict__ sums, std::int64_t lap, std::int64_t turns) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    const std::int64_t steps = turns / turns_of_load * loads_of_turns;
    auto at = reinterpret_cast<unsigned long long>(first);
    const std::int64_t begin = clock64();
#pragma unroll 4
    for (std::int64_t step = 0; step < steps; ++step) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
      at = __ldcg(reinterpret_cast<const unsigned long long*>(at));
    }
    end->next = at;
    *cycles = (clock64() - begin) / steps;
    return;
  }
  const std::int64_t warps = std::int64_t{gridDim.x - 1} * blockDim.x / 32;
  const std::int64_t warp = (std::int64_t{blockIdx.x - 1} * blockDim.x + threadIdx.x) / 32;
  std::int64_t turn_of_lap = 0;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const std::int64_t place = (turn_of_lap * warps + warp) * together * 32 + threadIdx.x % 32;
    uint4 found[together];
#pragma unroll
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
    for (int i = 0; i < together; ++i) found[i] = __ldcg(&in[place + i * 32]);
#pragma unroll
    for (int i = 0; i < together; ++i) {
      // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
      if constexpr (copies) out[place + i * 32] = found[i];
      sum += found[i].x + found[i].y + found[i].z + found[i].w;
    }
    if (++turn_of_lap == lap) turn_of_lap = 0;
  }
#pragma unroll
  for (int to = 16; to > 0; to /= 2) sum += __shfl_xor_sync(~0U, sum, to);
  if (threadIdx.x % 32 == 0) sums[warp] = sum;
}
// [kernel]

/// Who does what at a shape, the mebibytes of a lap and the turns of each warp.
struct Load {
  std::int64_t turns, lines, together, warps_of_block, warps, lap;
  bool copies;

  Load(const Shape& shape, const Setting& setting)
      : turns(shape[1]), lines(min(shape[0] << 13, most_lines)), copies(setting.number("copies") != 0) {
    const int in_flight = pieces_of_kibibyte * setting.number("in-flight");
    together = in_flight <= most_warps ? 1 : in_flight <= 2 * most_warps ? 2 : 4;
    warps_of_block = in_flight / together;
    warps = warps_of_block * (multiprocessors() - 1);
    const std::int64_t laps_bytes = shape[0] << 20;
    const std::int64_t bytes_of_turn = max(std::int64_t{1}, warps * together * 4 * words_of_piece);
    lap = min(max(laps_bytes / bytes_of_turn, std::int64_t{1}), turns);
  }

  /// That all warps read in a lap.
  [[nodiscard]] std::int64_t words() const { return lap * warps * together * words_of_piece; }
  [[nodiscard]] std::int64_t requests() const { return turns * warps * together; }
  [[nodiscard]] std::int64_t steps() const { return turns / turns_of_load * loads_of_turns; }
  [[nodiscard]] std::int64_t bytes() const {
    return requests() * (copies ? 2 : 1) * 4 * words_of_piece + steps() * model::sector_bytes;
  }
};

std::uint32_t word(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

std::uint32_t sum_of_warp(std::uint64_t seed, std::int64_t warp, const Load& load) {
  std::uint32_t sum = 0;
  for (std::int64_t turn = 0; turn < load.turns; ++turn) {
    const std::int64_t first = (turn % load.lap * load.warps + warp) * load.together * words_of_piece;
    const std::int64_t words = load.together * words_of_piece;
    sum += static_cast<std::uint32_t>(words) * word(seed, first) +
           static_cast<std::uint32_t>(5 * (words * (words - 1) / 2));
  }
  return sum;
}

template <bool copies>
auto kernel_of(std::int64_t together) {
  if (together == 1) return walk_under_load<1, copies>;
  if (together == 2) return walk_under_load<2, copies>;
  return walk_under_load<4, copies>;
}

Owned<Problem> make(const Shape& shape, const Setting& setting) {
  const Load load(shape, setting);
  auto problem = make_owned<ArrayProblem>();
  // Where the ring begins is known when it is allocated, and asked for when it is filled.
  const auto base = std::make_shared<unsigned long long>();
  const auto link = [=, lines = load.lines](std::int64_t index) {
    return Link{*base + static_cast<unsigned long long>(index % (lines * links_of_line)) * sizeof(Link)};
  };
  auto& ring = problem->input<Link>("ring", {load.lines * links_of_line}, [=](auto, std::int64_t index) {
    return link(index + apart * links_of_line);
  });
  *base = reinterpret_cast<unsigned long long>(ring.data());
  auto& end = problem->output<Link>("end", {1},
                                    [=](auto, auto) { return link(load.steps() * apart * links_of_line); });
  auto& in = problem->input<std::uint32_t>("in", {load.words()}, word);
  auto& out = problem->output<std::uint32_t>("out", {load.copies ? load.words() : 0}, word);
  auto& sums = problem->output<std::uint32_t>(
      "sums", {load.warps},
      [=](std::uint64_t seed, std::int64_t warp) { return sum_of_warp(seed, warp, load); });
  auto* const cycles = problem->numbers();
  problem->launches([=, &ring, &end, &in, &out, &sums](cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(load.warps == 0 ? 1 : multiprocessors());
    const auto threads = static_cast<unsigned>(max(std::int64_t{1}, load.warps_of_block) * model::warp_size);
    const auto kernel = load.copies ? kernel_of<true>(load.together) : kernel_of<false>(load.together);
    kernel<<<blocks, threads, 0, stream>>>(
        ring.data(), end.data(), cycles, reinterpret_cast<const uint4*>(in.data()),
        reinterpret_cast<uint4*>(out.data()), sums.data(), load.lap, load.turns);
  });
  return problem;
}

model::Prediction predict(const Load& load) {
  const auto own = [](int lane) { return lane; };
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  return model::Prediction{}
      .global_load(load.requests(), 16, own)
      .global_store(load.copies ? load.requests() : 0, 16, own)
      .global_store(load.warps, 4, one)
      .global_load(load.steps(), 8, one)
      .global_store(2, 8, one);
}
}  // namespace

void weft::register_steps() {
  const Numbers in_flight{0, 1, 2, 4, 8, 12, 16, 20, 24, 32, 48, 64};
  for (const Setting& setting : Axes().with("in-flight", in_flight).with("copies", {0, 1}).settings()) {
    const int kibibytes = setting.number("in-flight");
    if (setting.number("copies") != 0 && (kibibytes == 0 || kibibytes > 32)) continue;  // which move no more
    Variant made("loaded-latency", setting);
    made.curve = true;
    made.checked = {{1, 8}};
    made.measured = {{512, 2000}};
    made.counted = {{1, 4}};
    made.make = [=](const Shape& shape) { return make(shape, setting); };
    made.amounts = [=](const Shape& shape) { return Amounts{.bytes = Load(shape, setting).bytes()}; };
    made.quantities = {{"latency", "cycles", Origin::clock, written_number()}};
    made.predict = [=](const Shape& shape) { return predict(Load(shape, setting)); };
    add(std::move(made));
  }
}
