// The transpose vector-access in both orders of its blocks, with fewer bytes under way: room for fewer
// blocks, since shared memory that nobody uses keeps the others out, or the loads of a thread in turn. Beside
// it cudaMemcpy.
#include "check/arrays.hpp"
#include "check/pattern.hpp"
#include "device/attribute.hpp"
#include "orders.hpp"
#include "step/step.hpp"

namespace {
using namespace weft::orders;

/// Not an order of blocks: cudaMemcpy.
constexpr int copied = 2;

/// The shared memory beside the tile of a block of which a multiprocessor holds so many and no more. CUDA
/// keeps 1 KiB of each.
int bytes_beside(int blocks) {
  if (blocks == fours::blocks_per_multiprocessor) return 0;
  constexpr int kept = 1024;
  constexpr int bytes_of_tile = sizeof(float) * fours::tile * fours::tile;
  return device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / blocks - kept - bytes_of_tile;
}

/// What a variant does.
struct How {
  int order, blocks, loads;
};

template <Order order>
void transpose(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, const How& how) {
  const auto kernel = how.loads == 1 ? transpose_in_turn<order> : transpose_fours<order>;
  const int bytes = bytes_beside(how.blocks);
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const dim3 grid = grid_of(order, in.rows, in.columns);
  kernel<<<grid, fours::block, bytes, stream>>>(in.data, out.data, in.rows, in.columns);
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, const How& how) {
  if (how.order == copied) {
    const std::size_t bytes = in.rows * in.columns * sizeof(float);
    cuda_check(cudaMemcpyAsync(out.data, in.data, bytes, cudaMemcpyDeviceToDevice, stream));
  } else if (how.order == along_input) {
    transpose<along_input>(stream, in, out, how);
  } else {
    transpose<along_output>(stream, in, out, how);
  }
}

Owned<Problem> problem(const Shape& shape, const How& how) {
  const std::int64_t rows = shape[0];
  const std::int64_t columns = shape[1];
  if (rows % fours::width != 0 || columns % fours::width != 0) refuse("every row begins at 16 bytes");
  const bool copies = how.order == copied;
  auto made = make_owned<ArrayProblem>();
  const auto& in = made->input<float>("input", shape, hashed_floats);
  auto& out = made->output<float>(
      "output", copies ? shape : Shape{columns, rows}, [=](std::uint64_t seed, std::int64_t index) {
        return hashed_float(seed, copies ? index : index % rows * columns + index / rows);
      });
  made->launches([=, &in, &out](cudaStream_t stream) {
    launch(stream, {in.data(), rows, columns}, {out.data(), columns, rows}, how);
  });
  return made;
}

/// Loads in turn where a multiprocessor has all of its blocks, and cudaMemcpy once.
bool is_wanted(const How& how) {
  constexpr int all = fours::blocks_per_multiprocessor;
  if (how.order == copied) return how.blocks == all && how.loads == 2;
  return how.loads == 2 || how.blocks == all;
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes()
                        .with("order", {along_input, along_output, copied})
                        .with("blocks", {3, 4, 2})
                        .with("loads", {2, 1});
  for (const Setting& setting : axes.settings()) {
    const How how{setting.number("order"), setting.number("blocks"), setting.number("loads")};
    if (!is_wanted(how)) continue;
    Variant made("under-way", setting);
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
