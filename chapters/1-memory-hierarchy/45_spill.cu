// A thread has 32 registers and more values than that: what does each value without a register cost?
#include <array>

#include "local_memory.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int resident_blocks = 8;  // all the threads of a multiprocessor: 32 registers for each
constexpr int schedulers = 4;       // of a multiprocessor

// [kernel]
/// Each turn adds one to each value.
template <int values>
__global__ __launch_bounds__(block.x, resident_blocks) void count(int turns, float one, float* sums) {
  float value[values];
#pragma unroll
  for (int i = 0; i < values; ++i) value[i] = static_cast<float>(static_cast<int>(threadIdx.x) + i);
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < values; ++i) value[i] = fmaf(one, one, value[i]);
  }
  float sum = 0;
#pragma unroll
  for (const float one_of : value) sum += one_of;
  sums[std::int64_t{blockIdx.x} * block.x + threadIdx.x] = sum;
}
// [kernel]

using Kernel = void (*)(int turns, float one, float* sums);

/// Kernels by the number of values, which the axis gives.
template <int... values>
struct Kernels {
  static Numbers numbers() { return {values...}; }

  static Kernel of(int number) {
    Kernel found = nullptr;
    ((found = number == values ? count<values> : found), ...);
    return found;
  }
};
using OfValues = Kernels<16, 20, 24, 26, 27, 28, 29, 30, 32, 36, 40, 48, 64, 96>;

float sum_of_values(std::int64_t thread, std::int64_t turns, int values) {
  float sum = 0;
  for (int i = 0; i < values; ++i) sum += static_cast<float>(thread % block.x + i + turns);
  return sum;
}

Owned<Problem> make(std::int64_t turns, int values) {
  auto problem = make_owned<ArrayProblem>();
  auto& sums = problem->output<float>("sums", {threads_of_card()}, [=](auto, std::int64_t thread) {
    return sum_of_values(thread, turns, values);
  });
  problem->launches([=, &sums](cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(multiprocessors() * resident_blocks);
    OfValues::of(values)<<<blocks, block, 0, stream>>>(static_cast<int>(turns), 1, sums.data());
  });
  return problem;
}
}  // namespace

/// It is rated by the multiply-adds of one scheduler, of which one follows the other. What it does to local
/// memory is in the machine code alone, and Nsight Compute alone counts it.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("values", OfValues::numbers()).settings()) {
    const int values = setting.number();
    Variant made("spill", setting);
    made.curve = true;
    made.checked = {{0}, {2}};
    made.measured = {{1024}};
    made.rated_by = Rating::accesses;
    made.amounts = [=](const Shape& shape) {
      return Amounts{.accesses = shape[0] * values * warps_of_multiprocessor / schedulers};
    };
    made.make = [=](const Shape& shape) { return make(shape[0], values); };
    made.quantities = local_memory_counters();
    add(std::move(made));
  }
}
