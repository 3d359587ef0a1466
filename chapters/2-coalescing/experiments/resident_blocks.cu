// The float4 add with room for fewer blocks: shared memory that nobody uses keeps the others out. A block
// adds one piece of the vectors, or 16.
#include "device/attribute.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 4;  // elements of a float4

/// How many blocks a multiprocessor holds, and how many pieces each of them adds, if not one.
const List<Numbers> blocks_per_multiprocessor{{8}, {4}, {2}, {1}, {1, 16}, {2, 16}, {3, 16}, {4, 16}};

__global__ void add_resident_blocks(const float* __restrict__ a, const float* __restrict__ b,
                                    float* __restrict__ c, std::int64_t count) {
  const std::int64_t whole = count / width;
  const std::int64_t index = thread_index();
  if (index < whole) {
    const float4 x = reinterpret_cast<const float4*>(a)[index];
    const float4 y = reinterpret_cast<const float4*>(b)[index];
    reinterpret_cast<float4*>(c)[index] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
  } else if (index < whole + count % width) {  // the last one, two or three elements
    const std::int64_t last = index + whole * (width - 1);
    c[last] = a[last] + b[last];
  }
}

// [pieces]
/// The float4 add of blocks with several pieces, a float4 of each for each thread. A thread stores one sum
/// before it loads the next two summands, so it has no more bytes in flight.
__global__ void add_pieces(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                           std::int64_t count, int pieces) {
  const std::int64_t whole = count / width;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
#pragma unroll 1
  for (int piece = 0; piece < pieces; ++piece) {
    const std::int64_t index = thread_index() + piece * threads;
    if (index < whole) {
      const float4 x = reinterpret_cast<const float4*>(a)[index];
      const float4 y = reinterpret_cast<const float4*>(b)[index];
      reinterpret_cast<float4*>(c)[index] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
    } else if (index < whole + count % width) {
      const std::int64_t last = index + whole * (width - 1);
      c[last] = a[last] + b[last];
    }
  }
}
// [pieces]

/// The shared memory of a block of which a multiprocessor holds so many and no more. CUDA keeps 1 KiB of
/// each.
int bytes_for(int resident) {
  const int all = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const int most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  constexpr int kept = 1024;
  return min(all / resident - kept, most);
}

void launch(cudaStream_t stream, Vectors v, const Numbers& blocks) {
  require_aligned(v, sizeof(float4));
  const int bytes = bytes_for(static_cast<int>(blocks.front()));
  const std::int64_t threads = v.count / width + v.count % width;
  const auto make_room = [&](auto kernel) {
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  };
  if (blocks.size() == 1) {
    make_room(add_resident_blocks);
    add_resident_blocks<<<grid_for(threads, block), block, bytes, stream>>>(v.a, v.b, v.c, v.count);
  } else {
    make_room(add_pieces);
    const int pieces = static_cast<int>(blocks.back());
    const dim3 grid = grid_for(blocks_over(threads, pieces), block);
    add_pieces<<<grid, block, bytes, stream>>>(v.a, v.b, v.c, v.count, pieces);
  }
}

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  add_vectors("resident-blocks", Axes(block).with_tuples("blocks", blocks_per_multiprocessor), launch,
              predict, {.kind = Kind::experiment, .measured = {timed_size}, .counted = {counted_size}});
}
