// Each lane goes one way or the other, and both ways take so many multiply-adds: what does a warp pay whose
// lanes part?
#include <bit>

#include "check/pattern.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 parting_block{256};
constexpr int turns = 32;  // a bit of a thread's word for each
constexpr int one_hundred = 100;

// [kernel]
/// @param ways of a thread: its bits
/// @param one not for the compiler to see: with it a way counts its multiply-adds
template <int up, int down>
__global__ __launch_bounds__(parting_block.x) void part(const std::uint32_t* __restrict__ ways,
                                                        float* __restrict__ out, float one) {
  const std::int64_t index = std::int64_t{blockIdx.x} * parting_block.x + threadIdx.x;
  const std::uint32_t way = ways[index];
  float sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    if ((way >> turn & 1U) != 0) {
#pragma unroll
      for (int i = 0; i < up; ++i) sum = fmaf(one, one, sum);
    } else {
#pragma unroll
      for (int i = 0; i < down; ++i) sum = fmaf(-one, one, sum);
    }
  }
  out[index] = sum;
}
// [kernel]

/// The multiply-adds of the two ways.
const List<Numbers> lengths{{64, 64}, {64, 4}, {4, 4}, {1, 1}};

auto kernel_of(const Numbers& of_ways) {
  if (of_ways == lengths[0]) return part<64, 64>;
  if (of_ways == lengths[1]) return part<64, 4>;
  if (of_ways == lengths[2]) return part<4, 4>;
  return part<1, 1>;
}

/// The ways of a thread, of which so many in a hundred are up. Those of a warp are the same if they are
/// sorted.
std::uint32_t ways_of(std::uint64_t seed, std::int64_t thread, std::int64_t percent, bool sorted) {
  const std::int64_t who = sorted ? thread / model::warp_size : thread;
  std::uint32_t ways = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const auto number = static_cast<std::uint32_t>(who * turns + turn) & low_31_bits;
    const bool is_up =
        permuted(number ^ salt_of(seed, 0)) % one_hundred < static_cast<std::uint32_t>(percent);
    ways |= static_cast<std::uint32_t>(is_up) << turn;
  }
  return ways;
}

Owned<Problem> make(std::int64_t threads, const Setting& setting) {
  const Numbers& of_ways = setting["lengths"];
  const std::int64_t percent = setting.number("percent");
  const bool sorted = setting.number("sorted") != 0;
  const auto way = [=](std::uint64_t seed, std::int64_t thread) {
    return ways_of(seed, thread, percent, sorted);
  };
  auto problem = make_owned<ArrayProblem>();
  auto& ways = problem->input<std::uint32_t>("ways", {threads}, way);
  auto& out = problem->output<float>("out", {threads}, [=](std::uint64_t seed, std::int64_t thread) {
    const std::int64_t up = std::popcount(way(seed, thread));
    return static_cast<float>(of_ways[0] * up - of_ways[1] * (turns - up));
  });
  problem->launches([=, &ways, &out](cudaStream_t stream) {
    if (threads == 0) return;
    const auto blocks = static_cast<unsigned>(threads / parting_block.x);
    kernel_of(of_ways)<<<blocks, parting_block, 0, stream>>>(ways.data(), out.data(), 1);
  });
  return problem;
}
}  // namespace

/// The shape counts threads, whole blocks of them.
void weft::register_steps() {
  const Axes axes =
      Axes().with_tuples("lengths", lengths).with("percent", {50, 0, 3, 100}).with("sorted", {0, 1});
  for (const Setting& setting : axes.settings()) {
    const int percent = setting.number("percent");
    if (setting.number("sorted") != 0 && (percent == 0 || percent == one_hundred))
      continue;  // they are, anyway
    Variant made("divergence", setting);
    made.curve = true;
    made.checked = {{0}, {256}, {2048}};
    made.measured = {{1 << 22}};
    made.counted = {{1 << 14}};
    made.rated_by = Rating::elements;
    made.amounts = [](const Shape& shape) { return Amounts{.elements = shape[0] * turns}; };
    made.make = [=](const Shape& shape) { return make(shape[0], setting); };
    made.predict = [](const Shape& shape) {
      const std::int64_t warps = shape[0] / model::warp_size;
      return model::Prediction{}.global_load(warps, 4, own_lane).global_store(warps, 4, own_lane);
    };
    add(std::move(made));
  }
}
