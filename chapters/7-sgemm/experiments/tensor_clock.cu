// The clock of a multiprocessor, window by window: warps multiply and add in float32, and then on tensor
// cores all the time, once in each window, or never. How soon does the clock change, and for how many warps?

#include <algorithm>
#include <vector>

#include "check/arrays.hpp"
#include "kernel/global_timer.hpp"
#include "problem.hpp"
#include "step/step.hpp"  // sm_80

namespace {
enum class TensorCores : std::uint8_t { never, once, always };  // in a window

constexpr int chains = 8;     // sums of a thread in float32, and those on tensor cores,
constexpr int fragments = 4;  // which do not wait for one another
constexpr int pairs_of_turn = 16;
constexpr int depth_of_product = 8;
constexpr int most_settled = 30;  // windows whose median is told

struct Sums {
  float of_chains[chains] = {};
  float of_fragments[fragments][4] = {};
};

/// d += a b, 16 x 8 sums of 8 products each; all elements of a are alike, and all of b.
// NOLINTNEXTLINE(misc-const-correctness): the tensor cores write there.
__device__ inline void add_product(float (&d)[4], float a, float b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a)), "r"(__float_as_uint(b)));
}

/// Multiplies and adds until the timer shows `end`. What is added is then subtracted: so the sums do not tell
/// how often.
template <bool tensor_cores>
__device__ void multiply_until(std::int64_t end, float one, Sums& sums) {
  const float factors[] = {one, -one};
  while (__shfl_sync(~0U, global_nanosecond(), 0) < end) {
#pragma unroll
    for (int pair = 0; pair < pairs_of_turn; ++pair) {
#pragma unroll
      for (const float factor : factors) {
        if constexpr (tensor_cores) {
#pragma unroll
          for (float (&fragment)[4] : sums.of_fragments) add_product(fragment, one, factor);
        } else {
#pragma unroll
          for (float& chain : sums.of_chains) chain = fmaf(one, factor, chain);
        }
      }
    }
  }
}

/// @param one not for the compiler to see
/// @param notes takes the time in nanoseconds and the cycles of one multiprocessor, at the beginning and
/// after each window
template <TensorCores tensor_cores>
__global__ void note_clock(int before, int windows, std::int64_t nanoseconds, float one, float* results,
                           std::int64_t* notes) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto note = [=](std::int64_t place) {
    const std::int64_t time = global_nanosecond();
    const std::int64_t cycles = clock64();
    if (thread != 0) return;
    notes[2 * place] = time;
    notes[2 * place + 1] = cycles;
  };
  Sums sums;
  sums.of_chains[0] = static_cast<float>(thread);
  std::int64_t end = global_nanosecond();
  note(0);
#pragma unroll 1
  for (int window = 0; window < before + windows; ++window) {
    end += nanoseconds;
    const bool is_before = window < before;
    if (tensor_cores == TensorCores::always && !is_before) {
      multiply_until<true>(end, one, sums);
    } else {
      multiply_until<false>(end, one, sums);
    }
    if (tensor_cores == TensorCores::once && !is_before) add_product(sums.of_fragments[0], one, one);
    note(window + 1);
  }
  float result = 0;
#pragma unroll
  for (const float chain : sums.of_chains) result += chain;
#pragma unroll
  for (const float (&fragment)[4] : sums.of_fragments) result += fragment[0];
  results[thread] = result;
}

/// What a shape says.
struct Windows {
  int before, after;
  std::int64_t microseconds;

  explicit Windows(const Shape& shape)
      : before(static_cast<int>(shape[0])), after(static_cast<int>(shape[1])), microseconds(shape[2]) {}
};

/// One warp, or one for each scheduler of so many multiprocessors.
unsigned threads_of(int blocks) { return blocks == 1 ? model::warp_size : 4 * model::warp_size; }

/// The clock in a window, in MHz.
double clock_of(const Numbers& notes, int window) {
  const std::size_t at = 2 * static_cast<std::size_t>(window);
  return 1e3 * static_cast<double>(notes[at + 3] - notes[at + 1]) /
         static_cast<double>(max(notes[at + 2] - notes[at], std::int64_t{1}));
}

/// What was noted of the clock.
class ClockProblem final : public ArrayProblem {
 public:
  ClockProblem(Windows windows, TensorCores tensor_cores, int blocks) : windows_(windows) {
    const unsigned threads = threads_of(blocks);
    const int added = tensor_cores == TensorCores::once ? depth_of_product * windows.after : 0;
    auto& results =
        output<float>("results", {std::int64_t{blocks} * threads},
                      [=](auto, std::int64_t thread) { return static_cast<float>(thread + added); });
    auto* const notes = numbers(2 * (std::int64_t{windows.before} + windows.after + 1));
    const auto kernel = tensor_cores == TensorCores::never  ? note_clock<TensorCores::never>
                        : tensor_cores == TensorCores::once ? note_clock<TensorCores::once>
                                                            : note_clock<TensorCores::always>;
    launches([=, &results](cudaStream_t stream) {
      kernel<<<blocks, threads, 0, stream>>>(windows.before, windows.after, 1000 * windows.microseconds, 1,
                                             results.data(), notes);
    });
  }

  /// The clock in a window, counted from the first one with the work that is asked about, in MHz.
  [[nodiscard]] double clock(int window) const {
    return clock_of(written_numbers(), windows_.before + window);
  }

  /// The middle one of the last windows.
  [[nodiscard]] double settled() const {
    const Numbers notes = written_numbers();
    std::vector<double> last;
    for (int window = max(windows_.after - most_settled, 0); window < windows_.after; ++window)
      last.push_back(clock_of(notes, windows_.before + window));
    std::ranges::sort(last);
    return last[last.size() / 2];
  }

 private:
  Windows windows_;
};

Quantity quantity(const char* name, double (*read)(const ClockProblem&)) {
  return {name, "MHz", Origin::clock,
          [=](Problem& problem) { return read(dynamic_cast<const ClockProblem&>(problem)); }};
}
}  // namespace

/// The shape counts windows before the work that is asked about, and windows with it; and the microseconds of
/// a window.
void weft::register_steps() {
  for (const auto& [tensor_cores, blocks] : {std::pair{0, 132}, {2, 132}, {2, 1}, {1, 1}}) {
    const Parameters parameters{{"tensor-cores", {tensor_cores}}, {"blocks", {blocks}}};
    Variant made("tensor-clock", {parameters, tensor_cores == 0});
    made.kind = Kind::experiment;
    made.checked = {{1, 1, 1}, {2, 3, 2}};
    made.measured = {{250, 100, 2000}};
    made.rated_by = Rating::accesses;
    made.make = [use = static_cast<TensorCores>(tensor_cores), blocks = blocks](const Shape& shape) {
      return make_owned<ClockProblem>(Windows(shape), use, blocks);
    };
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0] + shape[1]}; };
    made.quantities = {
        quantity("clock-before", [](const ClockProblem& problem) { return problem.clock(-1); }),
        quantity("clock-first", [](const ClockProblem& problem) { return problem.clock(0); }),
        quantity("clock-settled", [](const ClockProblem& problem) { return problem.settled(); })};
    add(std::move(made));
  }
}

TEST_CASE("the clock of a window is its cycles by its nanoseconds") {
  const Numbers notes{5000, 70, 7000, 4030, 9000, 7630};
  CHECK(clock_of(notes, 0) == doctest::Approx(1980));
  CHECK(clock_of(notes, 1) == doctest::Approx(1800));
}
