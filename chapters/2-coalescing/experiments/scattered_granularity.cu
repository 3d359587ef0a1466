// The add in random order, where the L2 asks the DRAM for one, two or four sectors at a time.
#include <algorithm>

#include "fetch_granularity.hpp"
#include "permutation.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int piece = 8;  // elements of a sector

// [kernel]
__global__ void add_scattered_sectors(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, std::int64_t count, Permutation permutation) {
  const std::int64_t index = thread_index();
  if (index >= count) return;
  const bool whole = index < count / piece * piece;
  const std::int64_t place = whole ? permutation(index / piece) * piece + index % piece : index;
  c[place] = a[place] + b[place];
}
// [kernel]

Permutation of_pieces(std::int64_t count) { return Permutation(std::max<std::int64_t>(count / piece, 1)); }

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  add_scattered_sectors<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count,
                                                                        of_pieces(v.count));
}
// [launch]

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / model::warp_size;
  const auto apart = [](int lane) { return lane / piece * 4 * piece + lane % piece; };  // in four lines
  return model::Prediction{}.global_load(2 * warps, 4, apart).global_store(warps, 4, apart);
}
}  // namespace

void weft::register_steps() {
  add_vectors("scattered-granularity", Axes(block).with("granularity", fetch_granularities), launch, predict,
              {.kind = Kind::experiment,
               .surroundings = fetch_granularity,
               .measured = {timed_size},
               .counted = {counted_size}});
}
