// Blocks that do nothing, of few threads or of many, which let the next kernel start or do not: how many can
// the GPU start in a second?
#include "kernel/early_launch.hpp"
#include "problem.hpp"

namespace {
// [kernel]
/// @param begun takes the number of blocks, from the first of them
template <bool starts>
__global__ void begin(std::uint32_t* begun) {
  if constexpr (starts) let_next_start();
  if (blockIdx.x == 0 && threadIdx.x == 0) *begun = gridDim.x;
}
// [kernel]

Owned<Problem> make(std::int64_t blocks, const Setting& setting) {
  auto problem = make_owned<ArrayProblem>();
  auto& begun = problem->output<std::uint32_t>(
      "begun", {1}, [=](auto, auto) { return static_cast<std::uint32_t>(blocks); });
  const auto kernel = setting.number("starts") != 0 ? begin<true> : begin<false>;
  const auto threads = static_cast<unsigned>(setting.number("threads"));
  problem->launches([=, &begun](cudaStream_t stream) {
    kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(begun.data());
  });
  return problem;
}
}  // namespace

/// The shape counts blocks.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("threads", {256, 32, 1024}).with("starts", {0, 1}).settings()) {
    Variant made("block-starts", setting);
    made.kind = Kind::experiment;
    made.checked = {{1}, {100}};
    made.measured = {{1 << 18}};
    made.counted = {{1 << 10}};
    made.l2 = L2::warm;
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0]}; };
    made.make = [=](const Shape& shape) { return make(shape[0], setting); };
    made.predict = [](const Shape&) { return model::Prediction{}.global_store(1, 4, first_lane); };
    add(std::move(made));
  }
}
