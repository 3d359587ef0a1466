// The transpose vector-access in both orders of its blocks, with room for fewer blocks on a multiprocessor,
// with a smaller L1, or with the loads of a thread in turn: each changed alone, too. Beside it cudaMemcpy.
#include "moved_matrix.hpp"
#include "orders.hpp"
#include "room_for_blocks.hpp"
#include "step/step.hpp"

namespace {
using namespace weft::orders;
using room::most;
using room::usual;

/// Not an order of blocks: cudaMemcpy.
constexpr int copied = 2;

constexpr int all_blocks = fours::blocks_per_multiprocessor;
constexpr std::int64_t bytes_of_tile = sizeof(float) * fours::tile * fours::tile;

/// What a variant does.
struct How {
  int order, blocks, loads, carve_out;
};

constexpr bool holds(int blocks, int carve_out) {
  constexpr int registers = 32;  // of a thread, at most: else four blocks do not fit
  return room::holds(blocks, carve_out, bytes_of_tile, fours::threads, registers);
}
static_assert(holds(4, usual) && holds(3, usual) && holds(2, usual));
static_assert(holds(4, most) && holds(3, most) && holds(2, most));

template <Order order>
void transpose(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, const How& how) {
  const auto kernel = how.loads == 1 ? transpose_in_turn<order> : transpose_fours<order>;
  const int bytes = room::bytes_beside(bytes_of_tile, how.blocks, how.carve_out);
  room::ask(kernel, bytes, how.carve_out);
  const dim3 grid = grid_of(order, in.rows, in.columns);
  kernel<<<grid, fours::block, bytes, stream>>>(in.data, out.data, in.rows, in.columns);
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, const How& how) {
  if (how.order == copied) {
    copy_matrix(stream, in, out);
  } else if (how.order == along_input) {
    transpose<along_input>(stream, in, out, how);
  } else {
    transpose<along_output>(stream, in, out, how);
  }
}

Owned<Problem> problem(const Shape& shape, const How& how) {
  return moved_matrix(
      shape, how.order == copied,
      [=](cudaStream_t stream, Matrix<const float> in, Matrix<float> out) { launch(stream, in, out, how); });
}

/// Loads in turn where a multiprocessor has all of its blocks, and cudaMemcpy once.
bool is_wanted(const How& how) {
  if (how.order == copied) return how.blocks == all_blocks && how.loads == 2 && how.carve_out == usual;
  return how.loads == 2 || how.blocks == all_blocks;
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes()
                        .with("order", {along_output, along_input, copied})
                        .with("blocks", {4, 3, 2})
                        .with("loads", {2, 1})
                        .with("carve-out", {usual, most});
  for (const Setting& setting : axes.settings()) {
    const How how{setting.number("order"), setting.number("blocks"), setting.number("loads"),
                  setting.number("carve-out")};
    if (!is_wanted(how)) continue;
    Variant made("blocks-or-l1", setting);
    // cudaMemcpy launches no kernel of ours.
    made.kind = how.order == copied ? Kind::ceiling : Kind::experiment;
    made.checked = {{64, 64}, {132, 124}, {576, 576}};
    made.measured = {{8192, 8192}, {16'384, 16'384}};
    made.make = [=](const Shape& shape) { return problem(shape, how); };
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 2 * std::int64_t{sizeof(float)} * shape[0] * shape[1]};
    };
    if (how.order != copied) {
      made.counted = {{1024, 1024}};
      made.predict = [](const Shape& shape) { return fours::predict(shape[0], shape[1]); };
    }
    add(std::move(made));
  }
}
