// Some vectors are read and some are written, each once: how much of what moves is written?

#include "check/arrays.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 4;  // elements of a float4
/// How many vectors are read, and how many written.
const List<Numbers> mixes{{1, 1}, {2, 2}, {0, 1}, {2, 1}, {3, 1}};

/// Each output becomes the sum of all inputs, which lie one behind the other, as the outputs do.
template <int inputs, int outputs>
__global__ void add_all(const float4* __restrict__ in, float4* __restrict__ out, std::int64_t count) {
  const std::int64_t index = thread_index();
  if (index >= count) return;
  float4 read[inputs + 1];  // and one to spare, since C++ has no empty array
#pragma unroll
  for (int i = 0; i < inputs; ++i) read[i] = in[i * count + index];
  float4 sum{0, 0, 0, 0};
#pragma unroll
  for (int i = 0; i < inputs; ++i) {
    sum = {sum.x + read[i].x, sum.y + read[i].y, sum.z + read[i].z, sum.w + read[i].w};
  }
#pragma unroll
  for (int i = 0; i < outputs; ++i) out[i * count + index] = sum;
}

template <int inputs, int outputs>
void launch(cudaStream_t stream, const float* in, float* out, std::int64_t count) {
  const std::int64_t threads = count / width;
  add_all<inputs, outputs><<<grid_for(threads, block), block, 0, stream>>>(
      reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), threads);
}

using LaunchMix = void (*)(cudaStream_t, const float*, float*, std::int64_t);

LaunchMix launch_of(const Numbers& mix) {
  if (mix == mixes[0]) return launch<1, 1>;
  if (mix == mixes[1]) return launch<2, 2>;
  if (mix == mixes[2]) return launch<0, 1>;
  if (mix == mixes[3]) return launch<2, 1>;
  return launch<3, 1>;
}

/// @param count elements of each vector, a multiple of four
Owned<Problem> make(std::int64_t count, const Numbers& mix) {
  auto problem = make_owned<ArrayProblem>();
  const auto& in = problem->input<float>("in", {mix[0] * count}, hashed_floats);
  auto& out = problem->output<float>("out", {mix[1] * count}, [=](std::uint64_t seed, std::int64_t index) {
    float sum = 0;
    for (std::int64_t i = 0; i < mix[0]; ++i) sum += hashed_float(seed, i * count + index % count);
    return sum;
  });
  problem->launches([=, &in, &out](cudaStream_t stream) {
    if (count > 0) launch_of(mix)(stream, in.data(), out.data(), count);
  });
  return problem;
}

model::Prediction predict(std::int64_t count, const Numbers& mix) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(mix[0] * warps, 16, [](int lane) { return lane; })
      .global_store(mix[1] * warps, 16, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes(block).with_tuples("vectors", mixes).settings()) {
    const Numbers mix = setting["vectors"];
    Variant made("mixes", setting);
    made.kind = Kind::experiment;
    made.checked = {{0}, {4}, {64}, {1024}, {10'004}};
    made.measured = {{large_size}};
    made.counted = {{counted_size}};
    made.make = [=](const Shape& shape) { return make(elements(shape), mix); };
    made.amounts = [=](const Shape& shape) {
      return Amounts{.bytes = (mix[0] + mix[1]) * std::int64_t{sizeof(float)} * elements(shape)};
    };
    made.predict = [=](const Shape& shape) { return predict(elements(shape), mix); };
    add(std::move(made));
  }
}
