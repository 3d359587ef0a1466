// The driver's own copy, cudaMemcpy, and its own filling of memory, cudaMemset.
#include "problem.hpp"

namespace {
/// How many arrays are read, and how many are written: a copy, and a filling.
const List<Numbers> mixes{{1, 1}, {0, 1}};
constexpr int byte = 0x5A;
constexpr std::uint32_t word_of_bytes = 0x5A5A5A5A;

std::uint32_t word(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

/// The words of an array: the shape is the mebibytes of all together.
std::int64_t words_of(const Shape& shape, std::int64_t inputs) { return (shape[0] << 18) / (inputs + 1); }

Owned<Problem> make(const Shape& shape, std::int64_t inputs) {
  const std::int64_t words = words_of(shape, inputs);
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {inputs, words}, word);
  auto& out = problem->output<std::uint32_t>("out", {words}, [=](std::uint64_t seed, std::int64_t index) {
    return inputs == 0 ? word_of_bytes : word(seed, index);
  });
  problem->launches([=, &in, &out](cudaStream_t stream) {
    const std::size_t bytes = static_cast<std::size_t>(words) * 4;
    if (inputs == 0) {
      cuda_check(cudaMemsetAsync(out.data(), byte, bytes, stream));
    } else {
      cuda_check(cudaMemcpyAsync(out.data(), in.data(), bytes, cudaMemcpyDeviceToDevice, stream));
    }
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with_tuples("arrays", mixes).settings()) {
    const std::int64_t inputs = setting["arrays"][0];
    Variant made("driver", setting);
    made.kind = Kind::peer;
    made.checked = {{0}, {1}, {7}};
    made.measured = {{64}, {512}, {2048}, {16384}};
    made.make = [=](const Shape& shape) { return make(shape, inputs); };
    made.amounts = [=](const Shape& shape) {
      return Amounts{.bytes = 4 * (inputs + 1) * words_of(shape, inputs)};
    };
    add(std::move(made));
  }
}
