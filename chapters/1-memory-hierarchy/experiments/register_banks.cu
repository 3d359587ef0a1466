// Multiply-adds of three registers each, whose numbers an axis chooses: do some of them wait for a bank?
#include "problem.hpp"

namespace {
constexpr std::int64_t threads = 1024;
constexpr int numbers = 32;  // of a thread, of which chains begin
constexpr int factors = 8;   // on the left, and as many on the right
constexpr int schedulers = 4;
constexpr int fours = (numbers + 2 * factors) / 4;  // that a thread loads

/// Numbers are loaded and stored by fours, and all of them, though only some change: so four of them lie in
/// neighbouring registers, of which the first has a number that four divides.
template <int count>
__device__ void load(float (&to)[count], const float4* from) {
#pragma unroll
  for (int i = 0; i < count; i += 4) {
    const float4 four = from[i / 4 * threads];
    to[i] = four.x;
    to[i + 1] = four.y;
    to[i + 2] = four.z;
    to[i + 3] = four.w;
  }
}

template <int count>
__device__ void store(float4* to, const float (&from)[count]) {
#pragma unroll
  for (int i = 0; i < count; i += 4) {
    to[i / 4 * threads] = {from[i], from[i + 1], from[i + 2], from[i + 3]};
  }
}

/// Each turn has a multiply-add for each chain: a chain that occurred twice could change its register.
/// @tparam apart the chains are every so many numbers: with 2 all of their registers have even numbers, with
/// 1 they are even and odd by turns
/// @tparam left,right how many registers behind such a number a factor lies, modulo four
template <int apart, int left, int right>
__global__ __launch_bounds__(threads) void multiply_add(const float4* in, float4* out, int turns) {
  float lefts[factors];
  float rights[factors];
  float number[numbers];
  load(lefts, in + threadIdx.x);
  load(rights, in + threadIdx.x + factors / 4 * threads);
  load(number, in + threadIdx.x + factors / 2 * threads);
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int chain = 0; chain < numbers; chain += apart) {
      const int four = chain / apart % 2 * 4;  // a multiply-add has no register in common with the one before
      number[chain] =
          fmaf(lefts[(chain + left) % 4 + four], rights[(chain + right) % 4 + four], number[chain]);
    }
  }
  store(out + threadIdx.x, lefts);
  store(out + threadIdx.x + factors / 4 * threads, rights);
  store(out + threadIdx.x + factors / 2 * threads, number);
}

using Kernel = void (*)(const float4* in, float4* out, int turns);

struct Arrangement {
  Numbers numbers;  ///< apart, left, right
  Kernel kernel;
};

template <int apart, int left, int right>
Arrangement arranged() {
  return {{apart, left, right}, multiply_add<apart, left, right>};
}

List<Arrangement> arrangements() {
  return {arranged<1, 0, 0>(), arranged<1, 0, 1>(), arranged<1, 1, 2>(),
          arranged<2, 0, 0>(), arranged<2, 0, 1>(), arranged<2, 1, 1>()};
}

/// All factors are 1, and the other numbers 0, 1, 2, …, of which each that is a chain counts what is added.
/// @param index of a float, of which four for each thread follow four for each thread
float number_at(std::int64_t index, int apart, std::int64_t added) {
  const std::int64_t number = index / (threads * 4) * 4 + index % 4 - std::int64_t{2} * factors;
  if (number < 0) return 1;
  return static_cast<float>(number + (number % apart == 0 ? added : 0));
}

Owned<Problem> make(std::int64_t turns, int apart, Kernel kernel) {
  const Shape shape{threads * (2 * factors + numbers)};
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<float>("in", shape, [=](auto, auto index) { return number_at(index, apart, 0); });
  auto& out =
      problem->output<float>("out", shape, [=](auto, auto index) { return number_at(index, apart, turns); });
  problem->launches([=, &in, &out](cudaStream_t stream) {
    kernel<<<1, threads, 0, stream>>>(reinterpret_cast<const float4*>(in.data()),
                                      reinterpret_cast<float4*>(out.data()), static_cast<int>(turns));
  });
  return problem;
}
}  // namespace

/// It is rated by the multiply-adds of one scheduler, of which one follows the other.
void weft::register_steps() {
  List<Numbers> values;
  for (const Arrangement& one : arrangements()) values.push_back(one.numbers);
  std::size_t place = 0;
  for (const Setting& setting : Axes().with_tuples("registers", values).settings()) {
    const Arrangement chosen = arrangements()[place++];
    const auto apart = static_cast<int>(chosen.numbers.front());
    Variant made("register-banks", setting);
    made.kind = Kind::experiment;
    made.checked = {{0}, {2}};
    made.measured = {{8192}};
    made.counted = {{2}};
    made.rated_by = Rating::accesses;
    made.amounts = [=](const Shape& shape) {
      return Amounts{.accesses = shape[0] * (numbers / apart) * threads / model::warp_size / schedulers};
    };
    made.make = [=](const Shape& shape) { return make(shape[0], apart, chosen.kernel); };
    made.predict = [](const Shape&) {
      constexpr std::int64_t warps = threads / model::warp_size;
      const auto own = [](int lane) { return lane; };
      return model::Prediction{}.global_load(fours * warps, 16, own).global_store(fours * warps, 16, own);
    };
    add(std::move(made));
  }
}
