// Tiles go where the transpose puts them, but as they are: the same order of addresses without barrier or
// tile.

#include "check/arrays.hpp"
#include "check/pattern.hpp"
#include "kernel/evict_last.hpp"
#include "moved_tiles.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr int tile = 64;
constexpr dim3 block{32, 16};
constexpr int threads = block.x * block.y;
constexpr int blocks_per_multiprocessor = 4;

enum Order : std::uint8_t { along_input, along_output, in_place };
enum Hint : std::uint8_t { none, loads_last, stores_first };

/// What is stored is given up by the L2 first.
__device__ void store_evict_first(float* address, float word) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "{\n"
      ".reg .b64 policy;\n"
      "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
      "st.global.L2::cache_hint.f32 [%0], %1, policy;\n"
      "}" ::"l"(address),
      "f"(word)
      : "memory");
#else
  *address = word;
#endif
}

/// Tiles divide the matrix, which is square. Tile (y, x) of the input goes to tile (x, y) of the output, or
/// `in_place` to (y, x).
template <Order order, Hint hint>
__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void move_tiles(const float* __restrict__ in,
                                                                                 float* __restrict__ out,
                                                                                 std::int64_t side) {
  const L2Policy keep = evict_last();
  const std::int64_t down = (order == along_output ? block_x() : block_y()) * tile;
  const std::int64_t right = (order == along_output ? block_y() : block_x()) * tile;
  const std::int64_t out_down = order == in_place ? down : right;
  const std::int64_t out_right = order == in_place ? right : down;

  float moved[tile / block.y][tile / block.x];
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
#pragma unroll
    for (int j = 0; j < tile / block.x; ++j) {
      const std::int64_t row = down + threadIdx.y + std::int64_t{i} * block.y;
      const std::int64_t column = right + threadIdx.x + std::int64_t{j} * block.x;
      const float* const from = &in[row * side + column];
      moved[i][j] = hint == loads_last ? load_evict_last(from, keep) : *from;
    }
  }
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
#pragma unroll
    for (int j = 0; j < tile / block.x; ++j) {
      const std::int64_t row = out_down + threadIdx.y + std::int64_t{i} * block.y;
      const std::int64_t column = out_right + threadIdx.x + std::int64_t{j} * block.x;
      float* const to = &out[row * side + column];
      if (hint == stores_first) {
        store_evict_first(to, moved[i][j]);
      } else {
        *to = moved[i][j];
      }
    }
  }
}

template <Order order>
void launch(cudaStream_t stream, const float* in, float* out, std::int64_t side, int hint) {
  const auto kernel = hint == loads_last     ? move_tiles<order, loads_last>
                      : hint == stores_first ? move_tiles<order, stores_first>
                                             : move_tiles<order, none>;
  kernel<<<grid_over(side, side, {tile, tile}), block, 0, stream>>>(in, out, side);
}

Owned<Problem> problem(std::int64_t side, int order, int hint) {
  if (side % tile != 0) refuse("tiles must divide the matrix");
  auto made = make_owned<ArrayProblem>();
  const auto& in = made->input<float>("input", {side, side}, hashed_floats);
  auto& out = made->output<float>("output", {side, side}, [=](std::uint64_t seed, std::int64_t index) {
    return hashed_float(seed, order == in_place ? index : source_of_moved(index, side, tile));
  });
  made->launches([=, &in, &out](cudaStream_t stream) {
    const auto launch_in = order == along_input    ? launch<along_input>
                           : order == along_output ? launch<along_output>
                                                   : launch<in_place>;
    launch_in(stream, in.data(), out.data(), side, hint);
  });
  return made;
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes(block).with("order", {along_input, along_output, in_place});
  for (const Setting& setting : axes.with("hint", {none, loads_last, stores_first}).settings()) {
    Variant made("moved-tiles", setting);
    made.kind = Kind::experiment;
    made.checked = {{64, 64}, {128, 128}, {576, 576}};
    made.measured = {{8192, 8192}, {16384, 16384}};
    made.counted = {{1024, 1024}};
    made.make = [order = setting.number("order"), hint = setting.number("hint")](const Shape& shape) {
      return problem(shape[0], order, hint);
    };
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 2 * std::int64_t{sizeof(float)} * shape[0] * shape[1]};
    };
    made.predict = [](const Shape& shape) {
      const std::int64_t warps = shape[0] * shape[1] / model::warp_size;
      return model::Prediction{}
          .global_load(warps, 4, [](int lane) { return lane; })
          .global_store(warps, 4, [](int lane) { return lane; });
    };
    add(std::move(made));
  }
}
