// The transpose vector-access, which asks the L2 to keep the end of the output, and whether the L2 is
// overwritten between two launches: what a launch leaves there, a later one writes.
#include "aligned_output.hpp"
#include "fours.hpp"
#include "kernel/evict_last.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
using namespace weft::fours;

/// What the L2 does without a wish.
__device__ inline L2Policy evict_normal() {
#if __CUDA_ARCH__ >= 800
  L2Policy policy;
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  return policy;
#else
  return 0;
#endif
}

__device__ inline void store_with(float4* address, float4 words, [[maybe_unused]] L2Policy policy) {
#if __CUDA_ARCH__ >= 800
  asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(address), "f"(words.x),
               "f"(words.y), "f"(words.z), "f"(words.w), "l"(policy)
               : "memory");
#else
  __stwb(address, words);
#endif
}

/// @param first_kept the first row of the output that the L2 shall keep
__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void transpose_left_output(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns,
    std::int64_t first_kept) {
  __shared__ __align__(sizeof(float4)) float words[tile * tile];
  const std::int64_t first_row = block_x() * tile;
  const std::int64_t first_column = block_y() * tile;
  const bool keeps_output = first_column >= first_kept;
  const L2Policy of_input = keeps_output ? evict_normal() : evict_last();
  const L2Policy of_output = keeps_output ? evict_last() : evict_normal();
  const int x = threadIdx.x * width;
  const int y = threadIdx.y;

  float4 moved[tile / block.y] = {};
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    const std::int64_t row = first_row + y + std::int64_t{i} * block.y;
    const std::int64_t column = first_column + x;
    if (row < rows && column < columns) {
      // It loads with the policy that it is given.
      moved[i] = load_evict_last(reinterpret_cast<const float4*>(&in[row * columns + column]), of_input);
    }
  }
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    *reinterpret_cast<float4*>(&words[word_index(y + i * block.y, x)]) = moved[i];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    const int down = y + i * block.y;
    const std::int64_t row = first_column + down;
    const std::int64_t column = first_row + x;
    const float4 four{words[word_index(x, down)], words[word_index(x + 1, down)],
                      words[word_index(x + 2, down)], words[word_index(x + 3, down)]};
    if (row < columns && column < rows) {
      store_with(reinterpret_cast<float4*>(&out[row * rows + column]), four, of_output);
    }
  }
}

/// The first of the last rows of the output, which together have at most so many bytes.
std::int64_t first_kept(std::int64_t rows, std::int64_t columns, std::int64_t bytes) {
  return max(std::int64_t{0}, columns - bytes / (rows * static_cast<std::int64_t>(sizeof(float))));
}

/// Rows that begin anywhere are what `aligned-output` is for.
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, int kept_mebibytes) {
  if (!in_fours(in.data, in.columns) || !in_fours(out.data, out.columns)) {
    return aligned_output::launch(stream, in, out);
  }
  const dim3 grid = grid_over(in.rows, in.columns, {tile, tile});
  transpose_left_output<<<grid, block, 0, stream>>>(
      in.data, out.data, in.rows, in.columns,
      first_kept(in.rows, in.columns, std::int64_t{kept_mebibytes} << 20));
}

}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("mib", {32, 0, 16, 64}).with("overwritten", {1, 0}).settings()) {
    Variant made = transpose_variant("left-output", setting, launch);
    made.kind = Kind::experiment;
    made.checked = {{64, 64}, {132, 124}, {576, 576}};
    made.checked_large = {};
    made.measured = {{8192, 8192}, {16'384, 16'384}};
    made.counted = {{1024, 1024}};
    // What `vector-access` asks for, too: hints change no request.
    made.predict = [](const Shape& shape) { return predict(shape[0], shape[1]); };
    if (setting.number("overwritten") == 0) made.l2 = L2::kept;
    add(std::move(made));
  }
}

TEST_CASE("the last rows of the output are kept, as many as have so many bytes, or all that there are") {
  constexpr std::int64_t bytes = std::int64_t{32} << 20;
  CHECK(first_kept(16'384, 16'384, bytes) == 16'384 - 512);
  CHECK(first_kept(8192, 4096, bytes) == 4096 - 1024);
  CHECK(first_kept(1024, 1024, bytes) == 0);
  CHECK(first_kept(8192, 8192, 0) == 8192);
}
