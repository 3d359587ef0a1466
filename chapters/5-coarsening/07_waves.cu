// Pieces of work are done by a block each, or by blocks that stay and take one after the other, or that share
// them to the last step: who does what where, from when to when?
#include <memory>

#include "kernel/global_timer.hpp"
#include "kernel/limited.hpp"
#include "problem.hpp"

namespace {
constexpr int resident = 2;          // blocks that a multiprocessor holds
constexpr int multiplications = 64;  // of a step, one after the other
constexpr int notes = 4;             // of a segment: its multiprocessor, its begin, its end, its piece
constexpr int end_noted = 2;
constexpr int most_threads = 512;

/// How pieces come to blocks.
enum class Way : std::uint8_t {
  plain,   ///< a block for each piece
  stride,  ///< blocks that stay take pieces in strides of the grid
  queue,   ///< blocks that stay take the next piece from a counter
  shared   ///< stream-K: blocks that stay share the steps of all pieces evenly
};

/// The work and where it is left.
struct Work {
  const float* in = nullptr;  ///< what each thread of each piece begins with
  float* out = nullptr;       ///< what each of them has after all steps
  float* parts = nullptr;     ///< of two segments for each block: those of pieces that several blocks share
  unsigned* counters =
      nullptr;  ///< of arrivals at each piece, and behind them the queue's; 0 between launches
  std::int64_t* noted = nullptr;  ///< of each segment
  std::int64_t pieces = 0;
  std::int64_t steps = 0;  ///< of a piece
  bool uneven = false;     ///< whether pieces take more steps or fewer
  float one = 1;           ///< 1, which the compiler does not know

  /// 1, 2, 3 or 4 of five parts of twice the steps, in no order.
  [[nodiscard]] __host__ __device__ std::int64_t steps_of(std::int64_t piece) const {
    if (!uneven) return steps;
    return steps * 2 * (1 + (static_cast<std::uint32_t>(piece) * 0x9E3779B1U >> 20U) % 4) / 5;
  }
};

/// A word that the threads of a block have in common.
__device__ unsigned& common_word() {
  extern __shared__ unsigned words[];
  return words[0];
}

__device__ unsigned multiprocessor() {
  unsigned number = 0;  // NOLINT(misc-const-correctness): the instruction writes it
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

// [segment]
/// Some steps of a piece.
__device__ float worked(float sum, std::int64_t steps, float one) {
#pragma unroll 1
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < multiplications; ++i) sum = fmaf(one, one, sum);
  }
  return sum;
}

/// @param segment its number: of a piece that is not shared, the piece's
template <bool noted>
__device__ float segment_of(const Work& work, std::int64_t segment, std::int64_t piece, float begin_with,
                            std::int64_t steps) {
  [[maybe_unused]] const std::int64_t begin = noted ? global_nanosecond() : 0;
  const float sum = worked(begin_with, steps, work.one);
  if constexpr (noted) {
    __syncthreads();
    if (threadIdx.x == 0) {
      std::int64_t* const note = &work.noted[segment * notes];
      note[0] = multiprocessor();
      note[1] = begin;
      note[end_noted] = global_nanosecond();
      note[3] = piece;
    }
  }
  return sum;
}

template <bool noted>
__device__ void whole_piece(const Work& work, std::int64_t piece) {
  const std::int64_t place = piece * blockDim.x + threadIdx.x;
  work.out[place] = segment_of<noted>(work, piece, piece, work.in[place], work.steps_of(piece));
}
// [segment]

// [queue]
/// The next piece, for all threads of the block. The last block to get none empties the queue.
__device__ std::int64_t next_piece(const Work& work) {
  unsigned& next = common_word();
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned* const queue = &work.counters[work.pieces];
    next = atomicAdd(queue, 1);
    if (next == work.pieces + gridDim.x - 1) *queue = 0;
  }
  __syncthreads();
  return next;
}
// [queue]

// [shared]
/// Where a block's steps begin, all pieces' steps in one row.
__device__ std::int64_t begin_of(const Work& work, std::int64_t block) {
  return work.pieces * work.steps * block / gridDim.x;
}

/// The block that does a step.
__device__ std::int64_t block_of(const Work& work, std::int64_t step) {
  return ((step + 1) * gridDim.x - 1) / (work.pieces * work.steps);
}

/// Leaves what a block has of a piece that it shares; the last to come adds up all that is there.
__device__ void leave(const Work& work, std::int64_t piece, float sum) {
  unsigned& arrived = common_word();
  const std::int64_t begin = piece * work.steps;
  const std::int64_t first = block_of(work, begin);
  const std::int64_t last = block_of(work, begin + work.steps - 1);
  const auto place = [&](std::int64_t block) {
    const std::int64_t second = begin_of(work, block) < begin ? 1 : 0;
    return (2 * block + second) * blockDim.x + threadIdx.x;
  };
  work.parts[place(blockIdx.x)] = sum;
  __threadfence();
  __syncthreads();
  const auto others = static_cast<unsigned>(last - first);
  if (threadIdx.x == 0) arrived = atomicInc(&work.counters[piece], others);
  __syncthreads();
  if (arrived < others) return;
  __threadfence();
  sum = 0;
  for (std::int64_t block = first; block <= last; ++block) sum += __ldcg(&work.parts[place(block)]);
  work.out[piece * blockDim.x + threadIdx.x] = sum;
}

template <bool noted>
__device__ void share(const Work& work) {
  const std::int64_t begin = begin_of(work, blockIdx.x);
  const std::int64_t end = begin_of(work, blockIdx.x + 1);
  if constexpr (noted) {  // if a block begins with a piece of its own, the note before its first is empty
    if (begin % work.steps == 0 && blockIdx.x > 0 && threadIdx.x == 0) {
      work.noted[(begin / work.steps + blockIdx.x - 1) * notes + end_noted] = 0;
    }
  }
  for (std::int64_t step = begin; step < end;) {
    const std::int64_t piece = step / work.steps;
    const std::int64_t first = step % work.steps;
    const std::int64_t count = min(work.steps - first, end - step);
    const std::int64_t place = piece * blockDim.x + threadIdx.x;
    const float sum =
        segment_of<noted>(work, piece + blockIdx.x, piece, first == 0 ? work.in[place] : 0, count);
    if (count == work.steps) {
      work.out[place] = sum;
    } else {
      leave(work, piece, sum);
    }
    step += count;
  }
}
// [shared]

// [kernel]
template <Way way, bool noted>
__global__ __launch_bounds__(most_threads) void do_pieces(const Work work) {
  if constexpr (way == Way::plain) {
    whole_piece<noted>(work, blockIdx.x);
  } else if constexpr (way == Way::stride) {
    for (std::int64_t piece = blockIdx.x; piece < work.pieces; piece += gridDim.x)
      whole_piece<noted>(work, piece);
  } else if constexpr (way == Way::queue) {
    for (std::int64_t piece = next_piece(work); piece < work.pieces; piece = next_piece(work)) {
      whole_piece<noted>(work, piece);
    }
  } else {
    share<noted>(work);
  }
}
// [kernel]

template <bool noted>
auto kernel_of(Way way) {
  if (way == Way::plain) return do_pieces<Way::plain, noted>;
  if (way == Way::stride) return do_pieces<Way::stride, noted>;
  return way == Way::queue ? do_pieces<Way::queue, noted> : do_pieces<Way::shared, noted>;
}

/// Who does what: the shape is the pieces, in eighths of a wave, and the steps of each.
struct Plan {
  Way way;
  bool uneven, noted;
  std::int64_t threads, pieces, steps, blocks;

  Plan(const Shape& shape, const Setting& setting)
      : way(static_cast<Way>(setting.number("way"))),
        uneven(setting.number("uneven") != 0),
        noted(setting.number("noted") != 0),
        threads(setting.number("threads")),
        pieces(wave() * shape[0] / 8),
        steps(shape[1]),
        blocks(way == Way::plain    ? pieces
               : way == Way::shared ? min(pieces * steps, wave())
                                    : min(pieces, wave())) {}

  /// The blocks that the card holds at a time.
  [[nodiscard]] static std::int64_t wave() { return std::int64_t{multiprocessors()} * resident; }

  [[nodiscard]] std::int64_t segments() const { return way == Way::shared ? pieces + blocks - 1 : pieces; }
};

Owned<Problem> make(const Plan& plan) {
  const auto begin_with = [](std::uint64_t seed, std::int64_t index) {
    return static_cast<float>((static_cast<std::uint64_t>(index) * 5 + seed) % 1021);
  };
  const Work named{.pieces = plan.pieces, .steps = plan.steps, .uneven = plan.uneven};
  const std::int64_t places = plan.pieces * plan.threads;
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<float>("in", {places}, begin_with);
  auto& counters = problem->input<std::uint32_t>("counters", {plan.pieces + 1}, [](auto, auto) { return 0; });
  auto& out = problem->output<float>("out", {places}, [=](std::uint64_t seed, std::int64_t index) {
    const std::int64_t steps = named.steps_of(index / plan.threads);
    return begin_with(seed, index) + static_cast<float>(multiplications * steps);
  });
  const auto parts = std::make_shared<GuardedBuffer<float>>(2 * plan.blocks * plan.threads);
  auto* const noted = plan.noted ? problem->numbers(plan.segments() * notes) : nullptr;
  problem->launches([=, &in, &counters, &out](cudaStream_t stream) {
    Work work = named;
    work.in = in.data();
    work.out = out.data();
    work.parts = parts->data();
    work.counters = counters.data();
    work.noted = noted;
    launch_limited(resident, stream, plan.noted ? kernel_of<true>(plan.way) : kernel_of<false>(plan.way),
                   static_cast<unsigned>(plan.blocks), static_cast<unsigned>(plan.threads), work);
  });
  return problem;
}

/// Of each segment what was noted, times from the first begin on.
Grid noted_segments(Problem& problem) {
  const Numbers numbers = written_numbers(problem);
  Numbers values;
  std::int64_t first = INT64_MAX;
  for (std::size_t i = 0; i < numbers.size(); i += notes) {
    if (numbers[i + end_noted] != 0) first = min(first, numbers[i + 1]);
  }
  for (std::size_t i = 0; i < numbers.size(); i += notes) {
    if (numbers[i + end_noted] == 0) continue;
    values.append({numbers[i], numbers[i + 1] - first, numbers[i + end_noted] - first, numbers[i + 3]});
  }
  return {{ssize(values) / notes, notes}, std::move(values)};
}

/// What blocks that share pieces leave for one another.
void predict_sharing(model::Prediction& prediction, const Plan& plan) {
  const std::int64_t all = plan.pieces * plan.steps;
  std::int64_t shared = 0;    // segments that are parts of pieces
  std::int64_t unshared = 0;  // numbers that no segment has
  for (std::int64_t block = 0; block < plan.blocks; ++block) {
    const std::int64_t begin = all * block / plan.blocks;
    const std::int64_t end = all * (block + 1) / plan.blocks;
    if (block > 0 && begin % plan.steps == 0) ++unshared;
    for (std::int64_t step = begin; step < end;) {
      const std::int64_t count = min(plan.steps - step % plan.steps, end - step);
      if (count < plan.steps) ++shared;
      step += count;
    }
  }
  const std::int64_t warps = plan.threads / model::warp_size;
  prediction.global_store(shared * warps, 4, own_lane)
      .global_load(shared * warps, 4, own_lane)
      .shared_store(shared, 4, first_lane)
      .shared_load(shared * warps, 4, [](int) { return 0; });
  if (plan.noted) {
    const std::int64_t segments = plan.pieces + plan.blocks - 1 - unshared;
    prediction.global_store(unshared, 8, first_lane).global_store(notes * segments, 8, first_lane);
  }
}

model::Prediction predict(const Plan& plan) {
  const std::int64_t warps = plan.threads / model::warp_size;
  model::Prediction prediction;
  prediction.global_load(plan.pieces * warps, 4, own_lane).global_store(plan.pieces * warps, 4, own_lane);
  if (plan.way == Way::shared) {
    predict_sharing(prediction, plan);
  } else if (plan.noted) {
    prediction.global_store(notes * plan.pieces, 8, first_lane);
  }
  if (plan.way == Way::queue) {  // each block asks once more than it gets
    const std::int64_t asked = plan.pieces + plan.blocks;
    prediction.shared_store(asked, 4, first_lane)
        .shared_load(asked * warps, 4, [](int) { return 0; })
        .global_store(1, 4, first_lane);
  }
  return prediction;
}

/// From one wave to four, by eighths where the saw's teeth are looked at.
List<Shape> measured_shapes(const Setting& setting) {
  constexpr std::int64_t steps = 60;
  if (setting.number("noted") != 0) return {{9, steps}, {10, steps}};
  const Way way{static_cast<std::uint8_t>(setting.number("way"))};
  const std::int64_t apart = way != Way::plain || setting.number("uneven") != 0 ? 4
                             : setting.number("threads") == most_threads        ? 1
                                                                                : 2;
  List<Shape> shapes{{9, steps}, {10, steps}};
  for (std::int64_t eighths = 8; eighths <= 32; eighths += apart) {
    if (eighths != 9 && eighths != 10) shapes.push_back({eighths, steps});
  }
  return shapes;
}
}  // namespace

/// Left out: stream-K of uneven pieces, whose steps lie in no even row, and most of what small blocks do.
void weft::register_steps() {
  const Axes axes = Axes()
                        .with("way", {0, 1, 2, 3})
                        .with("threads", {most_threads, 128})
                        .with("uneven", {0, 1})
                        .with("noted", {0, 1});
  for (const Setting& setting : axes.settings()) {
    const bool plain = setting.number("way") == 0;
    const bool uneven = setting.number("uneven") != 0;
    const bool noted = setting.number("noted") != 0;
    if (uneven && setting.number("way") == 3) continue;
    if (setting.number("threads") != most_threads && (!plain || uneven || noted)) continue;
    Variant made("waves", setting);
    made.curve = true;
    made.polls =
        setting.number("way") >= 2;  // what the counter gives a block is its next piece, or whether to add up
    made.checked = {{1, 3}, {9, 2}};
    made.measured = measured_shapes(setting);
    made.counted = {{9, 4}};
    made.l2 = L2::warm;
    made.rated_by = Rating::elements;
    made.amounts = [=](const Shape& shape) {
      const Plan plan(shape, setting);
      return Amounts{.elements = plan.pieces * plan.threads};
    };
    made.make = [=](const Shape& shape) { return make(Plan(shape, setting)); };
    made.predict = [=](const Shape& shape) { return predict(Plan(shape, setting)); };
    if (noted) {
      made.series = {{"segments", "ns", {"segment", "note"}, Origin::clock, noted_segments}};
    }
    add(std::move(made));
  }
}
