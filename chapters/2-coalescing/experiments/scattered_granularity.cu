// The add in random order: how many bytes the L2 fetches at a time, and how many pieces a thread asks for.
#include "fetch_granularity.hpp"
#include "kernel/permutation.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int piece = 8;  // elements of a sector

/// A thread asks for all of its elements before it adds the first.
template <int together>
__global__ void add_scattered_sectors(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, std::int64_t count, Permutation permutation) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * together + threadIdx.x;
  std::int64_t place[together];
  float x[together];
  float y[together];
#pragma unroll
  for (int i = 0; i < together; ++i) {
    const std::int64_t index = first + std::int64_t{i} * blockDim.x;
    if (index >= count) continue;
    const bool whole = index < count / piece * piece;
    place[i] = whole ? permutation(index / piece) * piece + index % piece : index;
    x[i] = a[place[i]];
    y[i] = b[place[i]];
  }
#pragma unroll
  for (int i = 0; i < together; ++i) {
    if (first + std::int64_t{i} * blockDim.x < count) c[place[i]] = x[i] + y[i];
  }
}

Permutation of_pieces(std::int64_t count) { return Permutation(max(count / piece, std::int64_t{1})); }

/// @param together elements of a thread
void launch(cudaStream_t stream, Vectors v, int together) {
  const dim3 grid = grid_for(blocks_over(v.count, together), block);
  const auto kernel = together == 1 ? add_scattered_sectors<1> : add_scattered_sectors<4>;
  kernel<<<grid, block, 0, stream>>>(v.a, v.b, v.c, v.count, of_pieces(v.count));
}

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / model::warp_size;
  const auto apart = [](int lane) { return lane / piece * 4 * piece + lane % piece; };  // in four lines
  return model::Prediction{}.global_load(2 * warps, 4, apart).global_store(warps, 4, apart);
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes(block).with("together", {1, 4}).with("granularity", fetch_granularities);
  add_vectors("scattered-granularity", axes, launch, predict,
              {.kind = Kind::experiment,
               .surroundings = fetch_granularity,
               .measured = {timed_size},
               .counted = {counted_size}});
}
