// The elements that a thread loads lie side by side and those that it stores a block apart, or the other way
// round: the block's elements change places.
#include "problem.hpp"

namespace {
constexpr int adding_threads = 256;
constexpr int elements = 8;  // of a thread
constexpr std::int64_t of_block = std::int64_t{adding_threads} * elements;

/// The place of a thread's element among its block's.
template <bool beside>
__device__ std::int64_t place_of(int i) {
  return beside ? std::int64_t{threadIdx.x} * elements + i : std::int64_t{adding_threads} * i + threadIdx.x;
}

// [kernel]
/// @tparam stores whether the stores of a thread lie side by side, instead of its loads
template <bool stores>
__global__ __launch_bounds__(adding_threads, 1) void add_one_way_beside(const float* __restrict__ a,
                                                                        const float* __restrict__ b,
                                                                        float* __restrict__ c) {
  const std::int64_t first = block_x() * of_block;
  float of_a[elements];
  float of_b[elements];
#pragma unroll
  for (int i = 0; i < elements; ++i) {
    of_a[i] = a[first + place_of<!stores>(i)];
    of_b[i] = b[first + place_of<!stores>(i)];
  }
#pragma unroll
  for (int i = 0; i < elements; ++i) c[first + place_of<stores>(i)] = of_a[i] + of_b[i];
}
// [kernel]

/// A number below 2^20, so that a sum of two is exact.
float value_of(std::uint64_t seed, std::int64_t index) {
  return static_cast<float>(static_cast<std::uint64_t>(index) * (2 * seed + 5) % (1U << 20U));
}

/// Where the sum comes from that is stored at a place.
std::int64_t source_of(std::int64_t place, bool stores) {
  const std::int64_t in_block = place % of_block;
  const std::int64_t thread = stores ? in_block / elements : in_block % adding_threads;
  const std::int64_t i = stores ? in_block % elements : in_block / adding_threads;
  return place - in_block + (stores ? adding_threads * i + thread : thread * elements + i);
}

Owned<Problem> make(std::int64_t count, bool stores) {
  constexpr std::uint64_t other = 100;  // what the seed of b has more than that of a
  auto problem = make_owned<ArrayProblem>();
  auto& a = problem->input<float>("a", {count}, value_of);
  auto& b = problem->input<float>(
      "b", {count}, [](std::uint64_t seed, std::int64_t index) { return value_of(seed + other, index); });
  auto& c = problem->output<float>("c", {count}, [=](std::uint64_t seed, std::int64_t index) {
    const std::int64_t source = source_of(index, stores);
    return value_of(seed, source) + value_of(seed + other, source);
  });
  problem->launches([=, &a, &b, &c](cudaStream_t stream) {
    if (count == 0) return;
    const auto kernel = stores ? add_one_way_beside<true> : add_one_way_beside<false>;
    kernel<<<static_cast<unsigned>(count / of_block), adding_threads, 0, stream>>>(a.data(), b.data(),
                                                                                   c.data());
  });
  return problem;
}

model::Prediction predict(std::int64_t count, bool stores) {
  const std::int64_t warps = count / model::warp_size;
  const auto beside = [](int lane) { return lane * elements; };
  model::Prediction prediction;
  if (stores) {
    prediction.global_load(2 * warps, 4, own_lane).global_store(warps, 4, beside);
  } else {
    prediction.global_load(2 * warps, 4, beside).global_store(warps, 4, own_lane);
  }
  return prediction;
}
}  // namespace

/// The shape counts elements, whole blocks of them.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("stores", {1, 0}).settings()) {
    const bool stores = setting.number() != 0;
    Variant made("one-way-beside", setting);
    made.kind = Kind::experiment;
    made.checked = {{0}, {of_block}, {3 * of_block}};
    made.measured = {{1 << 26}};
    made.counted = {{1 << 20}};
    made.make = [=](const Shape& shape) { return make(shape[0], stores); };
    made.amounts = [](const Shape& shape) { return Amounts{.bytes = 12 * shape[0], .elements = shape[0]}; };
    made.predict = [=](const Shape& shape) { return predict(shape[0], stores); };
    add(std::move(made));
  }
}
