// Before an array is read again, another one goes through the L2: what is left of the first depends on what
// the loads asked the L2 to keep.
#include <memory>

#include "kernel/evict_last.hpp"
#include "kernel/launch_with.hpp"
#include "problem.hpp"

namespace {
constexpr int turns = 4;

/// Which lines the L2 is asked to give up last or first, and how.
enum Policy : std::uint8_t { none, kept_last, others_first, window };

/// Needs sm_80, as evict_last() does.
__device__ L2Policy evict_first() {
#if __CUDA_ARCH__ >= 800
  // NOLINTNEXTLINE(cppcoreguidelines-init-variables)
  L2Policy policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
#else
  return 0;
#endif
}

/// The sum of what a thread reads past the L1 of so many vectors.
/// @tparam asks whether the L2 is told what to do with the lines
template <bool asks>
__device__ std::uint32_t read(const uint4* words, std::int64_t count, [[maybe_unused]] L2Policy policy = 0) {
  std::uint32_t sum = 0;
  for (std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count;
       index += std::int64_t{gridDim.x} * blockDim.x) {
    // NOLINTNEXTLINE(misc-const-correctness)
    uint4 found;
#if __CUDA_ARCH__ >= 800
    if constexpr (asks) {
      asm volatile("ld.relaxed.gpu.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                   : "=r"(found.x), "=r"(found.y), "=r"(found.z), "=r"(found.w)
                   : "l"(words + index), "l"(policy));
    } else
#endif
    {
      found = __ldcg(words + index);
    }
    sum += found.x + found.y + found.z + found.w;
  }
  return sum;
}

template <Policy policy>
__global__ __launch_bounds__(full_block.x, blocks_of_multiprocessor) void read_by_turns(
    const uint4* kept, std::int64_t kept_count, const uint4* others, std::int64_t others_count,
    std::uint32_t* sums) {
  std::uint32_t sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    sum += read<policy == kept_last>(kept, kept_count, evict_last());
    sum += read<policy == others_first>(others, others_count, evict_first());
  }
  sums[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}

/// The part of the L2 that is set aside for windows, while the result lives.
std::shared_ptr<void> set_aside() {
  int device = 0;
  cudaDeviceProp properties{};
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaGetDeviceProperties(&properties, device));
  const auto set = [](int size) {
    return cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(size));
  };
  if (properties.major < 8) unavailable("it takes an L2 that sets a part aside, and this card has none");
  cuda_check(set(properties.persistingL2CacheMaxSize));
  return {nullptr, [=](void*) { static_cast<void>(set(0)); }};
}

// [window]
/// An attribute of a launch: what it reads of these bytes is to stay in the L2.
cudaLaunchAttribute window_over(const void* first, std::int64_t bytes) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeAccessPolicyWindow;
  attribute.val.accessPolicyWindow = {.base_ptr = const_cast<void*>(first),
                                      .num_bytes = static_cast<std::size_t>(bytes),
                                      .hitRatio = 1,
                                      .hitProp = cudaAccessPropertyPersisting,
                                      .missProp = cudaAccessPropertyNormal};
  return attribute;
}
// [window]

std::uint32_t word(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

/// The sum of what a thread reads of so many words in a turn. Its vectors lie equally far apart, so that
/// their sums are an arithmetic progression.
std::uint32_t sum_of_thread(std::uint64_t seed, std::int64_t thread, std::int64_t words) {
  const std::int64_t stride = 4 * threads_of_card();
  const std::int64_t vectors = 4 * thread < words ? blocks_over(words - 4 * thread, stride) : 0;
  const std::int64_t of_first = 4 * static_cast<std::int64_t>(seed) + 5 * (16 * thread + 6);
  return static_cast<std::uint32_t>(vectors * of_first + 20 * stride * (vectors * (vectors - 1) / 2));
}

/// @param shape words of the array that is to stay, and of the other; multiples of four
Owned<Problem> make(const Shape& shape, Policy policy) {
  auto problem = make_owned<ArrayProblem>();
  const auto& kept = problem->input<std::uint32_t>("kept", {shape[0]}, word);
  const auto& others = problem->input<std::uint32_t>("others", {shape[1]}, word);
  auto& sums = problem->output<std::uint32_t>("sums", {threads_of_card()}, [=](auto seed, auto thread) {
    return turns * (sum_of_thread(seed, thread, shape[0]) + sum_of_thread(seed, thread, shape[1]));
  });
  const bool in_window = policy == window;
  const auto aside = in_window ? set_aside() : nullptr;
  const cudaLaunchAttribute attribute = window_over(kept.data(), in_window ? 4 * shape[0] : 0);
  problem->launches([=, &kept, &others, &sums](cudaStream_t stream) {
    static_cast<void>(aside);  // lives as long as the launches
    const auto kernel = policy == kept_last      ? read_by_turns<kept_last>
                        : policy == others_first ? read_by_turns<others_first>
                                                 : read_by_turns<none>;
    launch_with(attribute, stream, kernel, multiprocessors() * blocks_of_multiprocessor, full_block, 0,
                reinterpret_cast<const uint4*>(kept.data()), shape[0] / 4,
                reinterpret_cast<const uint4*>(others.data()), shape[1] / 4, sums.data());
  });
  return problem;
}

model::Prediction predict(std::int64_t words) {
  const auto own = [](int lane) { return lane; };
  return model::Prediction{}
      .global_load(words / 4 / model::warp_size * turns, 16, own)
      .global_store(threads_of_card() / model::warp_size, 4, own);
}
}  // namespace

void weft::register_steps() {
  constexpr std::int64_t mib = (1 << 20) / 4;
  for (const Setting& setting : Axes().with("policy", {none, kept_last, others_first, window}).settings()) {
    const auto policy = static_cast<Policy>(setting.number());
    Variant made("persisting", setting);
    made.checked = {{0, 0}, {4, 0}, {mib / 8, mib / 8}};
    for (const std::int64_t others : {8, 32, 128}) made.measured.push_back({16 * mib, others * mib});
    made.counted = {{mib, mib}};
    made.curve = true;
    made.make = [=](const Shape& shape) { return make(shape, policy); };
    made.amounts = [](const Shape& shape) { return Amounts{.bytes = 4 * (shape[0] + shape[1]) * turns}; };
    made.predict = [](const Shape& shape) { return predict(shape[0] + shape[1]); };
    add(std::move(made));
  }
}
