// Words are scaled by more threads or by fewer, each of which has one element or several: what is on its way
// at a time comes from threads or from instructions.
#include "kernel/limited.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 scaling_block{256};
constexpr int warps_of_block = scaling_block.x / model::warp_size;
constexpr std::uint32_t factor = 3;

__device__ std::uint32_t scaled(std::uint32_t a) { return factor * a; }
__device__ uint4 scaled(uint4 a) { return {factor * a.x, factor * a.y, factor * a.z, factor * a.w}; }

// [kernel]
/// @tparam elements of a thread, which lie a block apart
template <typename Vector, int elements>
__global__ __launch_bounds__(scaling_block.x, 1) void scale(const Vector* __restrict__ in,
                                                            Vector* __restrict__ out, std::int64_t count) {
  constexpr std::int64_t apart = scaling_block.x;
  const std::int64_t first = blockIdx.x * apart * elements + threadIdx.x;
  const std::int64_t behind = (blockIdx.x + 1) * apart * elements;
  if (behind > count) {  // apart, so that no check stands between the loads below
#pragma unroll 1
    for (std::int64_t index = first; index < count; index += apart) out[index] = scaled(in[index]);
    return;
  }
  Vector found[elements];
#pragma unroll
  for (int i = 0; i < elements; ++i) found[i] = in[first + apart * i];
#pragma unroll
  for (int i = 0; i < elements; ++i) out[first + apart * i] = scaled(found[i]);
}
// [kernel]

template <typename Vector>
auto kernel_of(int elements) {
  if (elements == 1) return scale<Vector, 1>;
  if (elements == 2) return scale<Vector, 2>;
  if (elements == 4) return scale<Vector, 4>;
  return scale<Vector, 8>;
}

template <typename Vector>
void launch(cudaStream_t stream, const Setting& setting, const std::uint32_t* in, std::uint32_t* out,
            std::int64_t words) {
  const int elements = setting.number("elements");
  const std::int64_t count = words * 4 / std::int64_t{sizeof(Vector)};
  const auto blocks = static_cast<unsigned>(blocks_over(count, std::int64_t{scaling_block.x} * elements));
  launch_limited(setting.number("warps") / warps_of_block, stream, kernel_of<Vector>(elements), blocks,
                 scaling_block, reinterpret_cast<const Vector*>(in), reinterpret_cast<Vector*>(out), count);
}

Owned<Problem> make(std::int64_t words, const Setting& setting) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {words}, word);
  auto& out = problem->output<std::uint32_t>(
      "out", {words}, [](std::uint64_t seed, std::int64_t index) { return factor * word(seed, index); });
  problem->launches([=, &in, &out](cudaStream_t stream) {
    if (words == 0) return;
    const auto launch_of = setting.number("width") == 4 ? launch<std::uint32_t> : launch<uint4>;
    launch_of(stream, setting, in.data(), out.data(), words);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  const Axes axes =
      Axes().with("warps", {64, 48, 32, 16, 8}).with("elements", {1, 2, 4, 8}).with("width", {4, 16});
  for (const Setting& setting : axes.settings()) {
    const int width = setting.number("width");
    const int registers = setting.number("elements") * width / 4;
    if (registers >= 32 && setting.number("warps") > 32) continue;  // a thread has more than 32
    Variant made("threads-or-instructions", setting);
    made.curve = true;
    made.checked = {{0}, {4}, {4096}, {20'000}};
    made.measured = {{1 << 28}};
    made.counted = {{1 << 20}};
    made.make = [=](const Shape& shape) { return make(shape[0], setting); };
    made.amounts = [](const Shape& shape) { return Amounts{.bytes = 8 * shape[0]}; };
    made.predict = [=](const Shape& shape) {
      const std::int64_t requests = shape[0] * 4 / width / model::warp_size;
      return model::Prediction{}
          .global_load(requests, width, own_lane)
          .global_store(requests, width, own_lane);
    };
    add(std::move(made));
  }
}
