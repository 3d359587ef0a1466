// Sixteen bytes a thread, four to a word: the requests of the float4 add, and one instruction adds four
// bytes.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 16;  // bytes of a uint4

// [kernel]
__global__ void add_bytes_wide(const std::uint8_t* __restrict__ a, const std::uint8_t* __restrict__ b,
                               std::uint8_t* __restrict__ c, std::int64_t count) {
  const std::int64_t whole = count / width;
  const std::int64_t index = thread_index();
  if (index < whole) {
    const uint4 x = reinterpret_cast<const uint4*>(a)[index];
    const uint4 y = reinterpret_cast<const uint4*>(b)[index];
    reinterpret_cast<uint4*>(c)[index] = {__vadd4(x.x, y.x), __vadd4(x.y, y.y), __vadd4(x.z, y.z),
                                          __vadd4(x.w, y.w)};
  } else if (index < whole + count % width) {  // the last bytes, fewer than 16
    const std::int64_t last = index + whole * (width - 1);
    c[last] = static_cast<std::uint8_t>(a[last] + b[last]);
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* c,
            std::int64_t count) {
  const dim3 grid = grid_for(count / width + count % width, block);
  add_bytes_wide<<<grid, block, 0, stream>>>(a, b, c, count);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_narrow<std::uint8_t>("add-bytes-wide", block, launch, predict); }
// [step]
