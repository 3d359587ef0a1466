// Threads that do next to nothing: they end, or work out which element is theirs, or read what the kernel was
// given. What does it cost to begin?
#include "problem.hpp"

namespace {
/// What a thread does before it ends.
enum class Does : std::uint8_t { nothing, index, parameters };

constexpr int numbers_given = 16;

/// What the kernel is given besides.
struct Given {
  std::int64_t numbers[numbers_given];
};

// [kernel]
/// @param given numbers whose sum is the last thread's index
template <Does does>
__global__ void begin(std::int64_t* last, std::int64_t last_index, const __grid_constant__ Given given) {
  if constexpr (does == Does::nothing) return;
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if constexpr (does == Does::parameters) {
    last_index = 0;
#pragma unroll
    for (const std::int64_t number : given.numbers) last_index += number;
  }
  if (index == last_index) *last = index;
}
// [kernel]

auto kernel_of(Does does) {
  if (does == Does::nothing) return begin<Does::nothing>;
  return does == Does::index ? begin<Does::index> : begin<Does::parameters>;
}

/// Numbers whose sum is that one.
Given parts_of(std::int64_t sum) {
  Given given{};
  for (int i = 1; i < numbers_given; ++i) given.numbers[i] = i;
  given.numbers[0] = sum - numbers_given * (numbers_given - 1) / 2;
  return given;
}

Owned<Problem> make(std::int64_t threads, std::int64_t threads_of_block, Does does) {
  auto problem = make_owned<ArrayProblem>();
  auto& last = problem->output<std::int64_t>(
      "last", {1}, [=](auto, auto) { return does == Does::nothing ? poison<std::int64_t>() : threads - 1; });
  problem->launches([=, &last](cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(threads / threads_of_block);
    kernel_of(does)<<<blocks, static_cast<unsigned>(threads_of_block), 0, stream>>>(last.data(), threads - 1,
                                                                                    parts_of(threads - 1));
  });
  return problem;
}
}  // namespace

/// The shape counts threads, whole blocks of them.
void weft::register_steps() {
  const Axes axes = Axes().with("threads", {256, 32, 64, 128, 512, 1024}).with("does", {1, 0, 2});
  for (const Setting& setting : axes.settings()) {
    const int threads = setting.number("threads");
    const auto does = static_cast<Does>(setting.number("does"));
    Variant made("beginnings", setting);
    made.curve = true;
    made.checked = {{1024}, {3072}};
    made.measured = {{1 << 24}};
    made.counted = {{1 << 16}};
    made.l2 = L2::warm;
    made.rated_by = Rating::elements;
    made.amounts = [](const Shape& shape) { return Amounts{.elements = shape[0]}; };
    made.make = [=](const Shape& shape) { return make(shape[0], threads, does); };
    made.predict = [=](const Shape&) {
      return model::Prediction{}.global_store(does == Does::nothing ? 0 : 1, 8, first_lane);
    };
    add(std::move(made));
  }
}
