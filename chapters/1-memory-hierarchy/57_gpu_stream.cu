// The kernels of gpu-benches' gpu-stream, written anew: each thread has one double, and there is a thread for
// each.
#include "problem.hpp"

namespace {
constexpr dim3 block{1024};
constexpr double q = 2;

/// How many arrays are read, and how many are written: gpu-stream's read, init, scale and triad.
const List<Numbers> mixes{{1, 0}, {0, 1}, {1, 1}, {3, 1}};

/// @param in the arrays that are read, one behind the other; @param none what no element is
template <int inputs, int outputs>
__global__ void stream(const double* __restrict__ in, double* __restrict__ out, std::int64_t count,
                       double none) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= count) return;
  if constexpr (inputs == 0) out[index] = q;
  if constexpr (inputs == 1 && outputs == 0) {
    if (in[index] == none) out[index] = q;
  }
  if constexpr (inputs == 1 && outputs == 1) out[index] = q * in[index];
  if constexpr (inputs == 3) out[index] = in[index] + in[count + index] * in[2 * count + index];
}

/// A whole number, whose products and sums are exact.
double element(std::uint64_t seed, std::int64_t index) {
  return static_cast<double>((index + static_cast<std::int64_t>(seed)) & 0xFFFFF);
}

double result(std::uint64_t seed, std::int64_t index, std::int64_t count, const Numbers& mix) {
  if (mix[1] == 0) return poison<double>();
  if (mix[0] == 0) return q;
  const double first = element(seed, index);
  if (mix[0] == 1) return q * first;
  return first + element(seed, count + index) * element(seed, 2 * count + index);
}

auto kernel_of(const Numbers& mix) {
  if (mix == mixes[0]) return stream<1, 0>;
  if (mix == mixes[1]) return stream<0, 1>;
  if (mix == mixes[2]) return stream<1, 1>;
  return stream<3, 1>;
}

/// The elements of an array: the shape is the mebibytes of all together.
std::int64_t count_of(const Shape& shape, const Numbers& mix) { return (shape[0] << 17) / (mix[0] + mix[1]); }

Owned<Problem> make(const Shape& shape, const Numbers& mix) {
  const std::int64_t count = count_of(shape, mix);
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<double>("in", {mix[0], count}, element);
  auto& out = problem->output<double>(
      "out", {mix[1] == 0 ? 1 : count},
      [=](std::uint64_t seed, std::int64_t index) { return result(seed, index, count, mix); });
  problem->launches([=, &in, &out](cudaStream_t stream) {
    if (count == 0) return;
    constexpr double none = -1;
    kernel_of(mix)<<<grid_over(count, 1, block), block, 0, stream>>>(in.data(), out.data(), count, none);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with_tuples("arrays", mixes).settings()) {
    const Numbers mix = setting["arrays"];
    Variant made("gpu-stream", setting);
    made.kind = Kind::peer;
    made.checked = {{0}, {1}, {7}};
    made.measured = {{1024}};
    made.make = [=](const Shape& shape) { return make(shape, mix); };
    made.amounts = [=](const Shape& shape) {
      return Amounts{.bytes = 8 * (mix[0] + mix[1]) * count_of(shape, mix)};
    };
    add(std::move(made));
  }
}
