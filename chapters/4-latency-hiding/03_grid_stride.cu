// Blocks that stay: each thread goes through the floats in strides of the grid, and then the block's tree
// adds up its threads' sums.

#include "block_sum.hpp"
#include "sum.hpp"

namespace {
constexpr int blocks_of_multiprocessor = 8;

// [kernel]
__global__ void grid_stride(const float* __restrict__ in, std::int64_t count, float* __restrict__ sums) {
  float sum = 0;
  std::int64_t index = std::int64_t{blockIdx.x} * block.x + threadIdx.x;
#pragma unroll 1
  for (; index < count; index += std::int64_t{gridDim.x} * block.x) sum += in[index];
  sum = block_sum_by_tree<block.x>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// [kernel]

std::int64_t blocks_for(std::int64_t count) {
  const std::int64_t most = std::int64_t{multiprocessors()} * blocks_of_multiprocessor;
  return min(max(blocks_over(count, block.x), std::int64_t{1}), most);
}

// [launch]
/// The second launch is one block, which adds up what the blocks of the first have left.
void launch(cudaStream_t stream, const Sum& sum) {
  const auto blocks = static_cast<unsigned>(blocks_for(sum.count));
  auto* const parts = reinterpret_cast<float*>(sum.workspace);
  grid_stride<<<blocks, block, 0, stream>>>(sum.in, sum.count, parts);
  grid_stride<<<1, block, 0, stream>>>(parts, blocks, sum.sum);
}
// [launch]

std::int64_t additions(std::int64_t count) {
  const std::int64_t blocks = blocks_for(count);
  return blocks_over(count, blocks * block.x) + blocks_over(blocks, block.x) + 16;
}

model::Prediction predict(std::int64_t count) {
  model::Prediction prediction;
  const std::int64_t blocks = blocks_for(count);
  predict_loads(prediction, count, 4);
  predict_loads(prediction, blocks, 4);
  predict_block_sum_by_tree<block.x>(prediction, blocks + 1);
  return prediction.global_store(blocks + 1, 4, first_lane);
}
}  // namespace

void weft::register_steps() {
  add(sum_of_floats("grid-stride", {},
                    {.launch = launch, .additions = additions, .predict = predict, .workspace = blocks_for}));
}
