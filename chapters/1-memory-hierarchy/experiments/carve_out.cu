// A thread goes twice round in more and more lines: how many does the L1 hold, beside how much shared memory?
#include "problem.hpp"

namespace {
constexpr std::int64_t words_of_line = model::line_bytes / 4;
constexpr int more = 32;            // lines, 4 KiB
constexpr std::int64_t soon = 150;  // cycles; a load that hits takes fewer, one that misses more

/// @param zeros a word of each line is read, and added to the place of the next: so one load waits for the
/// one before
/// @param kept takes the most lines of which all but one in fifty came soon when they were read again
/// @param most lines
__global__ void go_round_twice(const std::uint32_t* zeros, std::uint32_t* end, std::int64_t* kept,
                               std::int64_t most) {
  std::uint32_t at = 0;
  std::int64_t held = 0;
#pragma unroll 1
  for (std::int64_t lines = more; lines <= most; lines += more) {
#pragma unroll 1
    for (std::int64_t line = 0; line < lines; ++line) at += __ldca(zeros + line * words_of_line + at);
    std::int64_t late = 0;
#pragma unroll 1
    for (std::int64_t line = 0; line < lines; ++line) {
      const std::int64_t begin = clock64();
      at += __ldca(zeros + line * words_of_line + at);
      if (at != 0) break;  // so the clock is read behind the load
      if (clock64() - begin > soon) ++late;
    }
    if (late * 50 <= lines) held = lines;
  }
  *end = at;
  *kept = held;
}

/// What a multiprocessor of this card has for shared memory at most, in KiB.
int most_shared() { return device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) >> 10; }

/// @param shared KiB of the multiprocessor that shall be shared memory
Owned<Problem> make(std::int64_t most, int shared) {
  auto problem = make_owned<ArrayProblem>();
  auto& zeros = problem->input<std::uint32_t>("zeros", {most * words_of_line}, [](auto, auto) { return 0; });
  auto& end = problem->output<std::uint32_t>("end", {1}, [](auto, auto) { return 0; });
  std::int64_t* const kept = problem->numbers();
  const int share = 100 * shared / most_shared();  // the driver takes the next larger size that there is
  problem->launches([=, &zeros, &end](cudaStream_t stream) {
    cuda_check(cudaFuncSetAttribute(go_round_twice, cudaFuncAttributePreferredSharedMemoryCarveout, share));
    go_round_twice<<<1, 1, 0, stream>>>(zeros.data(), end.data(), kept, most);
  });
  return problem;
}

/// The loads of all rounds: twice 32, 64, 96, … lines.
std::int64_t loads(std::int64_t most) { return most / more * (most / more + 1) * more; }
}  // namespace

void weft::register_steps() {
  for (const Setting& setting :
       Axes().with("shared", {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}).settings()) {
    const int shared = setting.number();
    Variant made("carve-out", setting);
    made.kind = Kind::experiment;
    made.curve = true;
    made.checked = {{0}, {64}};
    made.measured = {{2048}};  // 256 KiB, as much as the L1 and shared memory have together
    made.counted = {{64}};
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = loads(shape[0])}; };
    made.make = [=](const Shape& shape) { return make(shape[0], shared); };
    made.quantities = {{"kept", "KiB", Origin::clock, written_number(model::line_bytes / 1024.0)}};
    made.predict = [](const Shape& shape) {
      const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
      return model::Prediction{}
          .global_load(loads(shape[0]), 4, one)
          .global_store(1, 4, one)
          .global_store(1, 8, one);
    };
    add(std::move(made));
  }
}
