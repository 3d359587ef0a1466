// The floats are read and added up in each thread, and nothing is stored: a sum without its end.
#include <cmath>

#include "one_launch.hpp"

namespace {
// [kernel]
/// @param none equal to nothing, which the compiler does not know: a NaN
template <int threads, int loads, bool streamed>
__global__ __launch_bounds__(threads, 1) void bare_read(const float* __restrict__ in, std::int64_t count,
                                                        std::int64_t tiles, float none, float* found) {
  const std::int64_t tile = blockIdx.x * tiles;
  const float sum = sum_of_tiles<threads, loads, streamed>(in, count, tile, 1, tile + tiles);
  if (sum == none) *found = sum;
}
// [kernel]

Owned<Problem> make(std::int64_t count) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<float>("in", {count}, hashed_floats);
  auto& found = problem->output<float>("found", {1}, [](auto, auto) { return poison<float>(); });
  problem->launches([=, &in, &found](cudaStream_t stream) {
    const Plan plan(count);
    with_plan(plan, [&]<int threads, int loads, bool streamed> {
      bare_read<threads, loads, streamed><<<plan.blocks, threads, 0, stream>>>(
          in.data(), count, plan.tiles_of_block, std::nanf(""), found.data());
    });
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  Variant made("bare-read", {});
  made.kind = Kind::ceiling;
  made.checked = {{0}, {1}, {33}, {1025}, {65'536}};
  for (const std::int64_t size : sizes_of_sums) made.measured.push_back({size});
  made.counted = {{1 << 20}};
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 4 * shape[0]}; };
  made.predict = [](const Shape& shape) {
    model::Prediction prediction;
    predict_tiles(prediction, shape[0]);
    return prediction;
  };
  add(std::move(made));
}
