// Tiles of 32 × 32 words, in place or where the transpose puts them, through registers or through shared
// memory.

#include "check/arrays.hpp"
#include "check/pattern.hpp"
#include "moved_tiles.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr int tile = 32;
constexpr dim3 block{tile, 8};
constexpr int words = tile / block.y;  // of a thread

enum Order : std::uint8_t { in_place, along_input };
enum Way : std::uint8_t { registers, shared_memory };

/// Tiles divide the matrix, which is square. Tile (y, x) of the input goes to tile (y, x) of the output, or
/// to (x, y); the words of a tile keep their order. Through shared memory there is a barrier, as in
/// copy-tile.
template <Order order, Way way>
__global__ void copy_tiles(const float* __restrict__ in, float* __restrict__ out, std::int64_t side) {
  const std::int64_t top = block_y() * tile;
  const std::int64_t left = block_x() * tile;
  const std::int64_t out_top = order == in_place ? top : left;
  const std::int64_t out_left = order == in_place ? left : top;
  const int x = threadIdx.x;

  float moved[words];
#pragma unroll
  for (int k = 0; k < words; ++k)
    moved[k] = in[(top + threadIdx.y + std::int64_t{k} * block.y) * side + left + x];
  if constexpr (way == shared_memory) {
    __shared__ float kept[tile][tile];
#pragma unroll
    for (int k = 0; k < words; ++k) kept[threadIdx.y + k * block.y][x] = moved[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < words; ++k) moved[k] = kept[threadIdx.y + k * block.y][x];
  }
#pragma unroll
  for (int k = 0; k < words; ++k) {
    out[(out_top + threadIdx.y + std::int64_t{k} * block.y) * side + out_left + x] = moved[k];
  }
}

void launch(cudaStream_t stream, const float* in, float* out, std::int64_t side, int order, int way) {
  const auto kernel =
      order == in_place
          ? (way == registers ? copy_tiles<in_place, registers> : copy_tiles<in_place, shared_memory>)
          : (way == registers ? copy_tiles<along_input, registers> : copy_tiles<along_input, shared_memory>);
  kernel<<<grid_over(side, side, {tile, tile}), block, 0, stream>>>(in, out, side);
}

Owned<Problem> problem(std::int64_t side, int order, int way) {
  if (side % tile != 0) refuse("tiles must divide the matrix");
  auto made = make_owned<ArrayProblem>();
  const auto& in = made->input<float>("input", {side, side}, hashed_floats);
  auto& out = made->output<float>("output", {side, side}, [=](std::uint64_t seed, std::int64_t index) {
    return hashed_float(seed, order == in_place ? index : source_of_moved(index, side, tile));
  });
  made->launches(
      [=, &in, &out](cudaStream_t stream) { launch(stream, in.data(), out.data(), side, order, way); });
  return made;
}
}  // namespace

void weft::register_steps() {
  const Axes axes =
      Axes(block).with("order", {in_place, along_input}).with("way", {registers, shared_memory});
  for (const Setting& setting : axes.settings()) {
    const int order = setting.number("order");
    const int way = setting.number("way");
    Variant made("copied-tiles", setting);
    made.kind = Kind::experiment;
    made.checked = {{32, 32}, {64, 64}, {288, 288}};
    made.measured = {{8192, 8192}};
    made.counted = {{1024, 1024}};
    made.make = [=](const Shape& shape) { return problem(shape[0], order, way); };
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 2 * std::int64_t{sizeof(float)} * shape[0] * shape[1]};
    };
    made.predict = [=](const Shape& shape) {
      const std::int64_t warps = shape[0] * shape[1] / model::warp_size;
      const auto a_row = [](int lane) { return lane; };
      auto prediction = model::Prediction{}.global_load(warps, 4, a_row);
      if (way == shared_memory) prediction.shared_store(warps, 4, a_row).shared_load(warps, 4, a_row);
      return prediction.global_store(warps, 4, a_row);
    };
    add(std::move(made));
  }
}
