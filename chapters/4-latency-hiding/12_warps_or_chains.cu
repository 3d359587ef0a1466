// Multiply-adds of more warps or of fewer, each in one chain or in several: which keeps the multipliers busy?
#include "problem.hpp"

namespace {
constexpr int multiply_adds = 192;  // of a turn, a multiple of each number of chains
constexpr int warps_of_block = 4;   // one for each scheduler
constexpr dim3 multiplying_block{warps_of_block * model::warp_size};

// [kernel]
/// @param one not for the compiler to see: with it the chains count their multiply-adds
template <int chains>
__global__ __launch_bounds__(multiplying_block.x) void multiply_add(int turns, float one, float* sums) {
  float chain[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) chain[i] = static_cast<float>(i);
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < multiply_adds; ++i) chain[i % chains] = fmaf(one, one, chain[i % chains]);
  }
  float sum = 0;
#pragma unroll
  for (const float part : chain) sum += part;
  sums[std::int64_t{blockIdx.x} * multiplying_block.x + threadIdx.x] = sum;
}
// [kernel]

auto kernel_of(int chains) {
  if (chains == 1) return multiply_add<1>;
  if (chains == 2) return multiply_add<2>;
  if (chains == 4) return multiply_add<4>;
  return multiply_add<8>;
}

std::int64_t blocks_of(int warps) { return std::int64_t{multiprocessors()} * warps / warps_of_block; }

Owned<Problem> make(std::int64_t turns, int warps, int chains) {
  const std::int64_t blocks = blocks_of(warps);
  const std::int64_t of_chain = multiply_adds / chains * turns;
  float sum = 0;
  for (int i = 0; i < chains; ++i) sum += static_cast<float>(of_chain + i);
  auto problem = make_owned<ArrayProblem>();
  auto& sums =
      problem->output<float>("sums", {blocks * multiplying_block.x}, [=](auto, auto) { return sum; });
  problem->launches([=, &sums](cudaStream_t stream) {
    kernel_of(chains)<<<static_cast<unsigned>(blocks), multiplying_block, 0, stream>>>(
        static_cast<int>(turns), 1, sums.data());
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("warps", {4, 8, 16, 32, 64}).with("chains", {1, 2, 4, 8});
  for (const Setting& setting : axes.settings()) {
    const int warps = setting.number("warps");
    const int chains = setting.number("chains");
    Variant made("warps-or-chains", setting);
    made.curve = true;
    made.checked = {{0}, {2}};
    made.measured = {{512}};
    made.counted = {{2}};
    made.rated_by = Rating::operations;
    made.amounts = [=](const Shape& shape) {
      return Amounts{.operations = 2 * blocks_of(warps) * multiplying_block.x * multiply_adds * shape[0]};
    };
    made.make = [=](const Shape& shape) { return make(shape[0], warps, chains); };
    made.predict = [=](const Shape&) {
      return model::Prediction{}.global_store(blocks_of(warps) * warps_of_block, 4, own_lane);
    };
    add(std::move(made));
  }
}
