// As many multiply-adds as the product has, on registers alone: no arithmetic of this card can be faster.
#include <memory>

#include "check/arrays.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr dim3 block{256};
constexpr int chains = 16;  // that do not wait for one another
constexpr int rounds = 256;
constexpr int sum_of_chains = chains * rounds + chains * (chains - 1) / 2;  // from 0, 1, 2, … on
constexpr std::int64_t per_block = std::int64_t{block.x} * chains * rounds;

// [kernel]
__global__ void multiply_add(float factor, float summand, float* __restrict__ sums) {
  float chain[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) chain[i] = static_cast<float>(i);
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (float& sum : chain) sum = sum * factor + summand;
  }
  float sum = 0;
#pragma unroll
  for (const float part : chain) sum += part;
  sums[std::int64_t{blockIdx.x} * block.x + threadIdx.x] = sum;
}
// [kernel]

std::int64_t blocks_for(const Shape& s) { return blocks_over(s[0] * s[1] * s[2], per_block); }

/// With the factor 1 and the summand 1 each chain counts its own multiply-adds.
std::unique_ptr<Problem> chains_problem(const Shape& shape) {
  const std::int64_t blocks = blocks_for(shape);
  auto problem = std::make_unique<ArrayProblem>();
  auto& sums = problem->output<float>("sums", {blocks * block.x},
                                      [](auto, auto) { return static_cast<float>(sum_of_chains); });
  problem->launches([=, &sums](cudaStream_t stream) {
    if (blocks > 0) multiply_add<<<static_cast<unsigned>(blocks), block, 0, stream>>>(1, 1, sums.data());
  });
  return problem;
}

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = blocks_for({m, n, k}) * block.x / model::warp_size;
  return model::Prediction{}.global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
/// It is rated by the operations that it does: those of the product, up to whole blocks.
void weft::register_steps() {
  const Setting setting = Axes(block).settings().front();
  Variant made =
      product_variant("fma-ceiling", setting, nullptr, predict, {.kind = Kind::ceiling, .everywhere = true});
  made.checked_large.clear();
  made.make = chains_problem;
  made.amounts = [](const Shape& shape) { return Amounts{.operations = 2 * per_block * blocks_for(shape)}; };
  add(std::move(made));
}
// [step]
