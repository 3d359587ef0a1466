// Multiply-adds in one chain or in several that do not wait for each other, by few warps or by many.

#include "check/arrays.hpp"
#include "hopper.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr int per_turn = 64;  // multiply-adds of a thread

/// @param one not for the compiler to see: with it each chain counts its multiply-adds
template <int chains>
__global__ void multiply_in_chains(int turns, float one, float* sums) {
  float chain[chains] = {};
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int round = 0; round < per_turn / chains; ++round) {
#pragma unroll
      for (int i = 0; i < chains; ++i) chain[i] = fmaf(one, one, chain[i]);
    }
  }
  float sum = 0;
#pragma unroll
  for (const float part : chain) sum += part;
  sums[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}

/// One block to each multiprocessor, which has all its warps.
struct Division {
  int threads, turns;

  Division(const Shape& s, int warps, int multiprocessors) : threads(warps * model::warp_size) {
    const std::int64_t per_round = std::int64_t{multiprocessors} * threads * per_turn;
    turns = static_cast<int>(blocks_over(s[0] * s[1] * s[2], per_round));
  }
};

Owned<Problem> problem(const Shape& shape, int chains, int warps) {
  const int blocks = multiprocessors();
  const Division work(shape, warps, blocks);
  const auto expected = static_cast<float>(per_turn * work.turns);
  auto made = make_owned<ArrayProblem>();
  auto& sums = made->output<float>("sums", {std::int64_t{blocks} * work.threads},
                                   [=](auto, auto) { return expected; });
  const auto kernel = chains == 1   ? multiply_in_chains<1>
                      : chains == 2 ? multiply_in_chains<2>
                                    : multiply_in_chains<4>;
  made->launches([=, &sums](cudaStream_t stream) {
    kernel<<<blocks, work.threads, 0, stream>>>(work.turns, 1, sums.data());
  });
  return made;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("chains", {4, 2, 1}).with("warps", {8, 32}).settings()) {
    const int chains = setting.number("chains");
    const int warps = setting.number("warps");
    Variant made("independent-products", setting);
    made.kind = Kind::experiment;
    made.checked = {{1, 1, 1}, {256, 256, 256}};
    made.measured = {{2048, 2048, 2048}};
    made.rated_by = Rating::operations;
    made.make = [=](const Shape& shape) { return problem(shape, chains, warps); };
    made.amounts = [=](const Shape& shape) {
      const int blocks = multiprocessors();
      const Division work(shape, warps, blocks);
      return Amounts{.operations = 2 * std::int64_t{blocks} * work.threads * work.turns * per_turn};
    };
    add(std::move(made));
  }
}
