// The kernel of gpu-benches' gpu-l2-cache, written anew: many more blocks than the card holds at a time, each
// of which reads its share of what all read again and again.
#include "problem.hpp"

namespace {
constexpr dim3 block{1024};
constexpr int loads = 64;  // of each thread
constexpr std::int64_t elements_of_share = std::int64_t{block.x} * loads;
constexpr std::int64_t bytes_of_share = 8 * elements_of_share;  // 512 KiB
constexpr std::int64_t blocks = 4096;

/// @param shares how many different ones there are
/// @param sums takes what each thread has in the end, of the first block of each share
__global__ void read_share(const double* __restrict__ in, double* __restrict__ sums, std::int64_t shares) {
  const std::int64_t share = blockIdx.x % shares;
  double sum = 0;
#pragma unroll
  for (int i = 0; i < loads / 2; ++i) {
    const std::int64_t index = (shares * i + share) * 2 * block.x + threadIdx.x;
    sum += in[index] * in[index + block.x];
  }
  // NOLINTNEXTLINE(modernize-use-integer-sign-comparison)
  if (blockIdx.x < shares) sums[share * block.x + threadIdx.x] = sum;
}

/// A whole number, whose products and sums are exact.
double element(std::uint64_t seed, std::int64_t index) {
  return static_cast<double>((index + static_cast<std::int64_t>(seed)) & 0xFFFFF);
}

Owned<Problem> make(std::int64_t mebibytes) {
  const std::int64_t shares = (mebibytes << 20) / bytes_of_share;
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<double>("in", {shares * elements_of_share}, element);
  auto& sums =
      problem->output<double>("sums", {shares * block.x}, [=](std::uint64_t seed, std::int64_t index) {
        double sum = 0;
        for (int i = 0; i < loads / 2; ++i) {
          const std::int64_t first = (shares * i + index / block.x) * 2 * block.x + index % block.x;
          sum += element(seed, first) * element(seed, first + block.x);
        }
        return sum;
      });
  problem->launches([=, &in, &sums](cudaStream_t stream) {
    if (shares > 0) read_share<<<blocks, block, 0, stream>>>(in.data(), sums.data(), shares);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  Variant made("gpu-l2-cache", {});
  made.kind = Kind::peer;
  made.l2 = L2::warm;
  made.checked = {{0}, {1}, {3}};
  made.measured = {{16}};
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape&) { return Amounts{.bytes = blocks * bytes_of_share}; };
  add(std::move(made));
}
