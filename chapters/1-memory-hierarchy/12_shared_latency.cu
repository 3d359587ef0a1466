// All lanes of a warp follow a ring in shared memory together: each word says where the next one lies.
#include "problem.hpp"

namespace {
constexpr int words = 32;

// [kernel]
__global__ void walk(const std::uint32_t* next, std::uint32_t* end, std::int64_t steps) {
  __shared__ std::uint32_t ring[words];
  ring[threadIdx.x] = next[threadIdx.x];
  __syncwarp();
  std::uint32_t at = 0;
#pragma unroll 4
  for (std::int64_t step = 0; step < steps; ++step) {
    at = *reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const char*>(ring) + at);
  }
  if (threadIdx.x == 0) *end = at;
}
// [kernel]

/// The byte at which the next word begins.
std::uint32_t after(std::int64_t word) { return static_cast<std::uint32_t>((word + 1) % words * 4); }

Owned<Problem> make(std::int64_t loads) {
  auto problem = make_owned<ArrayProblem>();
  auto& next = problem->input<std::uint32_t>("next", {words}, [](auto, std::int64_t i) { return after(i); });
  auto& end =
      problem->output<std::uint32_t>("end", {1}, [=](auto, auto) { return after(loads - 1 + words); });
  problem->launches([=, &next, &end](cudaStream_t stream) {
    walk<<<1, words, 0, stream>>>(next.data(), end.data(), loads);
  });
  return problem;
}

model::Prediction predict(std::int64_t loads) {
  const auto own = [](int lane) { return lane; };
  const auto same = [](int) { return 0; };
  return model::Prediction{}
      .global_load(1, 4, own)
      .shared_store(1, 4, own)
      .shared_load(loads, 4, same)
      .global_store(1, 4, [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); });
}
}  // namespace

void weft::register_steps() {
  Variant made = roof("shared-latency", std::int64_t{1} << 18, 256);
  made.rated_by = Rating::accesses;
  made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0]}; };
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}
