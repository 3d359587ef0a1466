// A five-point stencil whose threads make one element of a column or several, and keep what they have in
// registers: fewer threads fit, and fewer loads are needed.
#include "problem.hpp"

namespace {
constexpr dim3 stencil_block{128};
constexpr std::int64_t margin = model::warp_size;  // words behind each row, so that rows begin with a line

// [kernel]
/// Each element of the output is the sum of the input's element and its four neighbours. The input has a row
/// above and below the output's, and a column on either side.
/// @tparam rows of a thread
template <int rows>
__global__ __launch_bounds__(stencil_block.x, 1) void stencil(const std::uint32_t* __restrict__ in,
                                                              std::uint32_t* __restrict__ out,
                                                              std::int64_t height, std::int64_t width,
                                                              std::int64_t pitch) {
  const std::int64_t column = block_x() * stencil_block.x + threadIdx.x;
  const std::int64_t first = block_y() * rows;
  if (column >= width) return;
  std::uint32_t middle[rows + 2];
  std::uint32_t sides[rows];
#pragma unroll
  for (int i = 0; i < rows + 2; ++i) {
    const std::uint32_t* const row = &in[(first + i) * pitch + column];
    if (first + i < height + 2) middle[i] = row[1];
    if (i > 0 && i <= rows && first + i <= height) sides[i - 1] = row[0] + row[2];
  }
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    if (first + i >= height) return;
    out[(first + i) * pitch + column] = middle[i] + middle[i + 1] + middle[i + 2] + sides[i];
  }
}
// [kernel]

std::int64_t pitch_of(std::int64_t width) { return blocks_over(width, margin) * margin + margin; }

auto kernel_of(int rows) {
  if (rows == 1) return stencil<1>;
  if (rows == 2) return stencil<2>;
  if (rows == 4) return stencil<4>;
  if (rows == 8) return stencil<8>;
  return stencil<16>;
}

std::uint32_t result(std::uint64_t seed, std::int64_t index, std::int64_t width, std::int64_t pitch) {
  if (index % pitch >= width) return poison<std::uint32_t>();
  const std::int64_t above = index + 1;
  return word(seed, above) + word(seed, above + pitch - 1) + word(seed, above + pitch) +
         word(seed, above + pitch + 1) + word(seed, above + 2 * pitch);
}

Owned<Problem> make(std::int64_t height, std::int64_t width, int rows) {
  const std::int64_t pitch = pitch_of(width);
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {height + 2, pitch}, word);
  auto& out = problem->output<std::uint32_t>(
      "out", {height, pitch},
      [=](std::uint64_t seed, std::int64_t index) { return result(seed, index, width, pitch); });
  problem->launches([=, &in, &out](cudaStream_t stream) {
    if (height == 0 || width == 0) return;
    const dim3 grid = grid_over(width, height, {stencil_block.x, static_cast<unsigned>(rows)});
    kernel_of(rows)<<<grid, stencil_block, 0, stream>>>(in.data(), out.data(), height, width, pitch);
  });
  return problem;
}

model::Prediction predict(std::int64_t height, std::int64_t width, int rows) {
  const std::int64_t across = width / model::warp_size;
  const std::int64_t down = height / rows;
  return model::Prediction{}
      .global_load(across * down * (rows + 2), 4, [](int lane) { return lane + 1; })
      .global_load(across * height, 4, own_lane)
      .global_load(across * height, 4, [](int lane) { return lane + 2; })
      .global_store(across * height, 4, own_lane);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("rows", {1, 2, 4, 8, 16}).settings()) {
    const int rows = setting.number();
    Variant made("stencil", setting);
    made.checked = {{0, 0}, {1, 1}, {17, 5}, {33, 129}, {100, 300}};
    made.measured = {{16384, 16384}};
    made.counted = {{512, 512}};
    made.make = [=](const Shape& shape) { return make(shape[0], shape[1], rows); };
    made.amounts = [](const Shape& shape) { return Amounts{.bytes = 8 * shape[0] * shape[1]}; };
    made.predict = [=](const Shape& shape) { return predict(shape[0], shape[1], rows); };
    add(std::move(made));
  }
}
