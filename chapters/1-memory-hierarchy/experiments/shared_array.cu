// The same array in shared memory, the words of an index side by side for all threads of the block.
#include "array_of_thread.hpp"

namespace {
constexpr int shared_bytes = array_words * static_cast<int>(array_threads) * 4;

__global__ __launch_bounds__(array_threads) void look_up_shared(const std::uint32_t* numbers,
                                                                std::uint32_t* last, std::int64_t looks,
                                                                unsigned indices) {
  extern __shared__ std::uint32_t arrays[][array_threads];
#pragma unroll
  for (int i = 0; i < array_words; ++i) arrays[i][threadIdx.x] = numbers[i];
  std::uint32_t at = threadIdx.x % indices;
#pragma unroll 8
  for (std::int64_t look = 0; look < looks; ++look) at = arrays[at][threadIdx.x];
  last[std::int64_t{blockIdx.x} * array_threads + threadIdx.x] = at;
}

/// @throws Unavailable if a block of this card cannot have so much shared memory
void launch(unsigned blocks, cudaStream_t stream, const std::uint32_t* numbers, std::uint32_t* last,
            std::int64_t looks, unsigned indices) {
  if (device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) < shared_bytes)
    unavailable("it needs 128 KiB of shared memory for a block");
  cuda_check(cudaFuncSetAttribute(look_up_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  look_up_shared<<<blocks, array_threads, shared_bytes, stream>>>(numbers, last, looks, indices);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("indices", numbers_of_indices).settings()) {
    Variant made = array_variant("shared-array", setting, launch);
    made.predict = [](const Shape& shape) {
      const std::int64_t warps = std::int64_t{multiprocessors()} * array_threads / model::warp_size;
      const auto own = [](int lane) { return lane; };
      return filled_and_stored()
          .shared_store(array_words * warps, 4, own)
          .shared_load(shape[0] * warps, 4, own);
    };
    add(std::move(made));
  }
}
