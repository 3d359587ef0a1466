// cudaMemcpy reads and writes as much as a sweep does.
#include "problem.hpp"

namespace {
Owned<Problem> make(const Shape& shape) {
  auto problem = make_owned<ArrayProblem>();
  const auto value = [](std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) {
    hashed_floats(seed, first, last, values);
  };
  auto& in = problem->input<float>("in", shape, value);
  auto& out = problem->output<float>("out", shape, value);
  problem->launches([&in, &out](cudaStream_t stream) {
    const auto bytes = static_cast<std::size_t>(in.size()) * sizeof(float);
    cuda_check(cudaMemcpyAsync(out.data(), in.data(), bytes, cudaMemcpyDeviceToDevice, stream));
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  Variant made("memcpy", {});
  made.kind = Kind::ceiling;
  made.checked = {{0, 0}, {1, 1}, {33, 129}, {4, 17, 33}};
  made.measured = {{8192, 8192}, {512, 512, 512}};
  made.make = make;
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 8 * elements(shape)}; };
  add(std::move(made));
}
