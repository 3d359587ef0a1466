// As many multiply-adds as the product has, on registers alone: as fast as the register banks give operands.
#include "check/arrays.hpp"
#include "hopper.hpp"
#include "step/step.hpp"

namespace {
constexpr dim3 block{256};
constexpr int blocks_of_multiprocessor = 4;
constexpr int chains = 16;  ///< that do not wait for one another
constexpr int rounds_of_turn = 16;
constexpr std::int64_t per_turn = std::int64_t{block.x} * chains * rounds_of_turn;  ///< of a block

// [kernel]
/// Each round is a multiply-add for each chain.
/// @tparam shared how many of its two factors a multiply-add has in common with the one before
/// @param one,zero 1 and 0, which the compiler does not know: so each factor has a register of its own
template <int shared>
__global__ __launch_bounds__(block.x, blocks_of_multiprocessor) void multiply_add(int turns, float one,
                                                                                  float zero, float* sums) {
  float left[chains];
  float right[chains];
  float chain[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) {
    left[i] = fmaf(static_cast<float>(2 * i), zero, one);
    right[i] = fmaf(static_cast<float>(2 * i + 1), zero, one);
    chain[i] = static_cast<float>(i);
  }
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int round = 0; round < rounds_of_turn; ++round) {
#pragma unroll
      for (int i = 0; i < chains; ++i) {
        chain[i] = fmaf(left[shared > 0 ? 0 : i], right[shared > 1 ? 0 : i], chain[i]);
      }
    }
  }
  float sum = 0;
#pragma unroll
  for (const float part : chain) sum += part;
  sums[std::int64_t{blockIdx.x} * block.x + threadIdx.x] = sum;
}
// [kernel]

/// All blocks that the card holds at a time have the same to do, so that they end at a time.
struct Division {
  std::int64_t blocks, turns;

  Division(const Shape& s, int multiprocessors) {
    const std::int64_t in_all = blocks_over(s[0] * s[1] * s[2], per_turn);
    blocks = min(in_all, std::int64_t{multiprocessors} * blocks_of_multiprocessor);
    turns = blocks == 0 ? 0 : blocks_over(in_all, blocks);
  }
  [[nodiscard]] std::int64_t operations() const { return 2 * blocks * turns * per_turn; }
};

using Kernel = void (*)(int turns, float one, float zero, float* sums);

/// What a thread's chains are in all, rounded as the kernel rounds it.
float sum_of_chains(std::int64_t turns) {
  float sum = 0;
  for (int i = 0; i < chains; ++i) sum += static_cast<float>(rounds_of_turn * turns + i);
  return sum;
}

/// With factors of 1 each chain counts its own multiply-adds, from 0, 1, 2, … on.
Owned<Problem> chains_problem(const Shape& shape, Kernel kernel) {
  const Division work(shape, multiprocessors());
  auto problem = make_owned<ArrayProblem>();
  const float expected = sum_of_chains(work.turns);
  auto& sums = problem->output<float>("sums", {work.blocks * block.x}, [=](auto, auto) { return expected; });
  problem->launches([=, &sums](cudaStream_t stream) {
    if (work.blocks == 0) return;
    kernel<<<static_cast<unsigned>(work.blocks), block, 0, stream>>>(static_cast<int>(work.turns), 1, 0,
                                                                     sums.data());
  });
  return problem;
}

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const Division work({m, n, k}, hopper::multiprocessors_of_h200);
  return model::Prediction{}.global_store(work.blocks * block.x / model::warp_size, 4,
                                          [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
/// It is rated by its operations: those of the product, rounded up to whole passes through the loop.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("shared", {2, 1, 0}).settings()) {
    Variant made = product_variant("fma-ceiling", setting, nullptr, setting.is_default() ? predict : nullptr,
                                   {.kind = Kind::ceiling, .everywhere = true});
    const int shared = setting.number("shared");
    const Kernel kernel = shared == 2 ? multiply_add<2> : shared == 1 ? multiply_add<1> : multiply_add<0>;
    made.checked_large.clear();
    if (!setting.is_default()) made.measured = {{1024, 1024, 1024}, {4096, 4096, 4096}};
    made.make = [=](const Shape& shape) { return chains_problem(shape, kernel); };
    made.amounts = [](const Shape& shape) {
      return Amounts{.operations = Division(shape, multiprocessors()).operations()};
    };
    made.quantities = {{"multiprocessors", "1", Origin::device,
                        [](Problem&) { return static_cast<double>(multiprocessors()); }}};
    add(std::move(made));
  }
}
// [step]
