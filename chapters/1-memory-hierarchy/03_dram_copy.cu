// The driver's own copy: what the DRAM moves while as much is read as written.
#include "problem.hpp"

namespace {
Owned<Problem> make(std::int64_t words) {
  auto problem = make_owned<ArrayProblem>();
  const auto word = [](std::uint64_t seed, std::int64_t index) {
    return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
  };
  auto& in = problem->input<std::uint32_t>("in", {words}, word);
  auto& out = problem->output<std::uint32_t>("out", {words}, word);
  problem->launches([=, &in, &out](cudaStream_t stream) {
    const std::size_t bytes = static_cast<std::size_t>(words) * 4;
    cuda_check(cudaMemcpyAsync(out.data(), in.data(), bytes, cudaMemcpyDeviceToDevice, stream));
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  Variant made = roof("dram-copy", std::int64_t{1} << 30, std::int64_t{1} << 20);
  made.counted.clear();  // the driver's kernels are not ours
  made.checked = {{0}, {1}, {std::int64_t{1} << 20}};
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 8 * shape[0]}; };
  add(std::move(made));
}
