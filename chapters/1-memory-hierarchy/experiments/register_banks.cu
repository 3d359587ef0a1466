// Multiply-adds of three registers each, whose numbers an axis makes even or odd: which of them wait?
#include "problem.hpp"

namespace {
constexpr int threads = 1024;
constexpr int chains = 32;  // of a thread; a turn has a multiply-add for each
constexpr int schedulers = 4;
constexpr int fours = 2 + chains / 4;  // of numbers that a thread loads: the factors, and where chains begin

// [kernel]
/// Numbers are loaded and stored by fours, so four of them lie in neighbouring registers, of which the first
/// has a number that four divides.
/// @tparam left,right how many registers behind the chain's a factor lies, modulo four
template <int left, int right>
__global__ __launch_bounds__(threads) void multiply_add(const float4* numbers, float4* sums, int turns) {
  const float4* const own = numbers + threadIdx.x % 32;
  const float4 left_four = own[0];
  const float4 right_four = own[32];
  const float lefts[]{left_four.x, left_four.y, left_four.z, left_four.w};
  const float rights[]{right_four.x, right_four.y, right_four.z, right_four.w};
  float chain[chains];
#pragma unroll
  for (int i = 0; i < chains; i += 4) {
    const float4 four = own[(2 + i / 4) * 32];
    chain[i] = four.x;
    chain[i + 1] = four.y;
    chain[i + 2] = four.z;
    chain[i + 3] = four.w;
  }
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < chains; ++i) {
      chain[i] = fmaf(lefts[(i + left) % 4], rights[(i + right) % 4], chain[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < chains; i += 4) {
    sums[i / 4 * threads + threadIdx.x] = {chain[i], chain[i + 1], chain[i + 2], chain[i + 3]};
  }
}
// [kernel]

using Kernel = void (*)(const float4* numbers, float4* sums, int turns);

Kernel kernel_of(int left, int right) {
  constexpr Kernel kernels[2][3]{{multiply_add<0, 0>, multiply_add<0, 1>, multiply_add<0, 2>},
                                 {multiply_add<1, 0>, multiply_add<1, 1>, multiply_add<1, 2>}};
  return kernels[left][right];
}

/// All factors are 1, and the chains begin with 0, 1, 2, …
float number_at(std::int64_t index) {
  const std::int64_t first_of_chains = std::int64_t{2} * 32 * 4;
  if (index < first_of_chains) return 1;
  return static_cast<float>((index - first_of_chains) / (32 * 4) * 4 + index % 4);
}

std::unique_ptr<Problem> make(std::int64_t turns, Kernel kernel) {
  auto problem = std::make_unique<ArrayProblem>();
  auto& numbers =
      problem->input<float>("numbers", {fours * 32 * 4}, [](auto, auto index) { return number_at(index); });
  auto& sums = problem->output<float>("sums", {threads * chains}, [=](auto, std::int64_t index) {
    return static_cast<float>(index / (threads * 4) * 4 + index % 4 + turns);
  });
  problem->launches([=, &numbers, &sums](cudaStream_t stream) {
    kernel<<<1, threads, 0, stream>>>(reinterpret_cast<const float4*>(numbers.data()),
                                      reinterpret_cast<float4*>(sums.data()), static_cast<int>(turns));
  });
  return problem;
}
}  // namespace

// [step]
/// It is rated by the multiply-adds of one scheduler, of which one follows the other.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("left", {0, 1}).with("right", {1, 0, 2}).settings()) {
    const Kernel kernel = kernel_of(setting.number("left"), setting.number("right"));
    Variant made("register-banks", setting);
    made.kind = Kind::experiment;
    made.checked = {{0}, {2}};
    made.measured = {{8192}};
    made.counted = {{2}};
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) {
      return Amounts{.accesses = shape[0] * chains * threads / model::warp_size / schedulers};
    };
    made.make = [=](const Shape& shape) { return make(shape[0], kernel); };
    made.predict = [](const Shape&) {
      constexpr std::int64_t warps = threads / model::warp_size;
      const auto own = [](int lane) { return lane; };
      return model::Prediction{}
          .global_load(fours * warps, 16, own)
          .global_store(warps * chains / 4, 16, own);
    };
    add(std::move(made));
  }
}
// [step]
