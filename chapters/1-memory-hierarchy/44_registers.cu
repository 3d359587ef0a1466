// Multiply-adds of a single warp, in one chain or in several: how many of them does it start in a cycle?
#include "problem.hpp"

namespace {
constexpr int multiply_adds = 192;  // of a turn, a multiple of each number of chains
constexpr dim3 block{32};

// [kernel]
/// @param one is 1, which the compiler does not know: so each chain counts its multiply-adds
template <int chains>
__global__ void multiply_add(int turns, float one, float* sums) {
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
  sums[threadIdx.x] = sum;
}
// [kernel]

using Kernel = void (*)(int turns, float one, float* sums);

Kernel kernel_of(int chains) {
  switch (chains) {
    case 1:
      return multiply_add<1>;
    case 2:
      return multiply_add<2>;
    case 3:
      return multiply_add<3>;
    case 4:
      return multiply_add<4>;
    case 6:
      return multiply_add<6>;
    default:
      return multiply_add<8>;
  }
}

Owned<Problem> make(std::int64_t turns, int chains) {
  auto problem = make_owned<ArrayProblem>();
  const std::int64_t of_chain = multiply_adds / chains * turns;
  float sum = 0;
  for (int i = 0; i < chains; ++i) sum += static_cast<float>(of_chain + i);
  auto& sums = problem->output<float>("sums", {block.x}, [=](auto, auto) { return sum; });
  problem->launches([=, &sums](cudaStream_t stream) {
    kernel_of(chains)<<<1, block, 0, stream>>>(static_cast<int>(turns), 1, sums.data());
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("chains", {1, 2, 3, 4, 6, 8}).settings()) {
    const int chains = setting.number();
    Variant made("registers", setting);
    made.curve = true;
    made.checked = {{0}, {2}};
    made.measured = {{8192}};
    made.counted = {{2}};
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0] * multiply_adds}; };
    made.make = [=](const Shape& shape) { return make(shape[0], chains); };
    made.predict = [](const Shape&) {
      return model::Prediction{}.global_store(1, 4, [](int lane) { return lane; });
    };
    add(std::move(made));
  }
}
