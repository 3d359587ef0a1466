// Several floats a thread, so many of them at a time: the requests stay the same, the bytes in flight do not.
#include "experiments/by_turns.hpp"
#include "problem.hpp"

namespace {
const List<dim3> blocks{{256}, {32}};
/// The elements of a thread, and how many of them it asks for before it waits.
const List<Numbers> orders{{4, 1}, {4, 2}, {4, 4}, {16, 1}};

template <int elements, int together>
void launch_turns(cudaStream_t stream, Vectors v, dim3 block) {
  const dim3 grid = grid_for(blocks_over(v.count, elements), block);
  add_by_turns<elements, together><<<grid, block, 0, stream>>>(v.a, v.b, v.c, v.count);
}

void launch(cudaStream_t stream, Vectors v, dim3 block, const Numbers& order) {
  if (order == orders[0]) launch_turns<4, 1>(stream, v, block);
  if (order == orders[1]) launch_turns<4, 2>(stream, v, block);
  if (order == orders[2]) launch_turns<4, 4>(stream, v, block);
  if (order == orders[3]) launch_turns<16, 1>(stream, v, block);
}

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  add_vectors("by-turns", Axes(blocks).with_tuples("order", orders), launch, predict,
              {.kind = Kind::experiment, .measured = {timed_size}, .counted = {counted_size}});
}
