// Each thread has an array and an index that is known only when the kernel runs: the array goes to local
// memory, because registers have no index.

#include "array_of_thread.hpp"
#include "local_memory.hpp"

namespace {
// [kernel]
__global__ __launch_bounds__(array_threads) void look_up(const std::uint32_t* numbers, std::uint32_t* last,
                                                         std::int64_t looks, unsigned indices) {
  std::uint32_t array[array_words];
#pragma unroll
  for (int i = 0; i < array_words; ++i) array[i] = numbers[i];
  std::uint32_t at = threadIdx.x % indices;
#pragma unroll 8
  for (std::int64_t look = 0; look < looks; ++look) at = array[at];
  last[std::int64_t{blockIdx.x} * array_threads + threadIdx.x] = at;
}
// [kernel]

void launch(unsigned blocks, cudaStream_t stream, const std::uint32_t* numbers, std::uint32_t* last,
            std::int64_t looks, unsigned indices) {
  look_up<<<blocks, array_threads, 0, stream>>>(numbers, last, looks, indices);
}
}  // namespace

/// What the law of the L1 foretells: words of one index lie side by side for the 32 lanes, in a line.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("indices", numbers_of_indices).settings()) {
    const int indices = setting.number();
    const model::Lanes lanes(4, [=](int lane) { return lane % indices * 32 + lane; });
    const int cycles = max(model::tag_wavefronts(lanes), model::data_wavefronts(lanes));
    Variant made = array_variant("indexed-array", setting, launch);
    made.counted.clear();  // the emulator does not count local memory
    made.quantities = local_memory_counters();
    made.quantities.push_back(
        {"foretold", "cycles", Origin::device, [=](Problem&) { return static_cast<double>(cycles); }});
    add(std::move(made));
  }
}
