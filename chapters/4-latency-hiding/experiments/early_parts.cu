// What an early launch consists of, one part after the other: the launch itself, the word that lets the next
// kernel start, and the wait; with a block for 256 elements or for 4096.
#include "kernel/early_launch.hpp"  // sm_90
#include "problem.hpp"

namespace {
constexpr unsigned threads = 256;

// [kernel]
template <bool starts, bool waits, int elements>
__global__ __launch_bounds__(threads) void add_one(const std::uint32_t* in, std::uint32_t* out,
                                                   std::int64_t count) {
  const std::int64_t first = std::int64_t{blockIdx.x} * threads * elements + threadIdx.x;
  if constexpr (starts) let_next_start();
  if constexpr (waits) wait_for_one_in_front();
#pragma unroll
  for (int i = 0; i < elements; ++i) {
    const std::int64_t index = first + std::int64_t{i} * threads;
    if (index < count) out[index] = in[index] + 1;
  }
}
// [kernel]

using Kernel = void (*)(const std::uint32_t*, std::uint32_t*, std::int64_t);

constexpr int few = 1;
constexpr int many = 16;

template <int elements>
Kernel kernel_of(bool starts, bool waits) {
  if (starts) return add_one<true, true, elements>;
  if (waits) return add_one<false, true, elements>;
  return add_one<false, false, elements>;
}

Owned<Problem> make(std::int64_t count, std::int64_t kernels, const Setting& setting) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {count}, word);
  const auto counted = [](std::int64_t added) {
    return [=](std::uint64_t seed, std::int64_t index) {
      return word(seed, index) + static_cast<std::uint32_t>(added);
    };
  };
  auto& other = problem->output<std::uint32_t>("other", {kernels > 1 ? count : 0}, counted(kernels - 1));
  auto& out = problem->output<std::uint32_t>("out", {count}, counted(kernels));
  const std::int64_t parts = setting.number("parts");
  const bool early = parts == 1 || parts == 3;
  const std::int64_t elements = setting.number("elements");
  const bool waits = parts > 0;
  const bool starts = parts > 1;
  const Kernel kernel = elements == many ? kernel_of<many>(starts, waits) : kernel_of<few>(starts, waits);
  const auto blocks = static_cast<int>(blocks_over(count, threads * elements));
  problem->launches([=, &in, &other, &out](cudaStream_t stream) {
    if (count == 0) return;
    const std::uint32_t* from = in.data();
    for (std::int64_t left = kernels; left > 0; --left) {
      std::uint32_t* const to = left % 2 == 1 ? out.data() : other.data();
      if (early) {
        launch_early(stream, kernel, blocks, threads, 0, from, to, count);
      } else {
        kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(from, to, count);
      }
      from = to;
    }
  });
  return problem;
}
}  // namespace

/// The shape counts elements and kernels. Parts: 0 none, 1 launched early and waits, 2 lets start and waits
/// but is launched behind, 3 all of them.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("parts", {3, 0, 1, 2}).with("elements", {few, many}).settings()) {
    Variant made("early-parts", setting);
    made.kind = Kind::experiment;
    made.checked = {{0, 2}, {1, 1}, {1, 2}, {1000, 5}, {10'000, 3}};
    made.measured = {{1 << 26, 8}, {1 << 22, 64}};
    made.counted = {{1 << 18, 4}};
    made.l2 = L2::warm;
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[1]}; };
    made.make = [=](const Shape& shape) { return make(shape[0], shape[1], setting); };
    made.predict = [](const Shape& shape) {
      const std::int64_t requests = shape[0] * shape[1] / model::warp_size;
      return model::Prediction{}.global_load(requests, 4, own_lane).global_store(requests, 4, own_lane);
    };
    add(std::move(made));
  }
}
