// A thread reads lines one after the other, then the same lines backwards: how many of them does the L1 still
// hold, and how much shared memory is beside it?
#include <algorithm>

#include "problem.hpp"

namespace {
constexpr std::int64_t words_of_line = model::line_bytes / 4;
constexpr std::int64_t soon = 150;  // cycles; from the L1 a load takes fewer, from the L2 more

// [kernel]
/// @param zeros a word of each line is read, and is added to the next word's place: so one load waits for
/// the one before
/// @param kept takes how many of the second loads came soon
__global__ void read_and_return(const std::uint32_t* zeros, std::uint32_t* end, std::int64_t* kept,
                                std::int64_t lines) {
  std::uint32_t at = 0;
#pragma unroll 1
  for (std::int64_t line = 0; line < lines; ++line) at += __ldca(zeros + line * words_of_line + at);
  std::int64_t came_soon = 0;
#pragma unroll 1
  for (std::int64_t line = lines - 1; line >= 0; --line) {
    const std::int64_t begin = clock64();
    at += __ldca(zeros + line * words_of_line + at);
    if (at != 0) break;  // so the clock is read behind the load
    if (clock64() - begin < soon) ++came_soon;
  }
  *end = at;
  *kept = came_soon;
}
// [kernel]

/// What a multiprocessor of this card has for shared memory at most, in KiB.
int most_shared() {
  int device = 0;
  int bytes = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  return bytes >> 10;
}

/// @param shared KiB of the multiprocessor that shall be shared memory
std::unique_ptr<Problem> make(std::int64_t lines, int shared) {
  auto problem = std::make_unique<ArrayProblem>();
  auto& zeros = problem->input<std::uint32_t>("zeros", {lines * words_of_line}, [](auto, auto) { return 0; });
  auto& end = problem->output<std::uint32_t>("end", {1}, [](auto, auto) { return 0; });
  std::int64_t* const kept = problem->number();
  const int share = std::min(100, (100 * shared + most_shared() - 1) / most_shared());  // rounded up
  problem->launches([=, &zeros, &end](cudaStream_t stream) {
    cuda_check(cudaFuncSetAttribute(read_and_return, cudaFuncAttributePreferredSharedMemoryCarveout, share));
    read_and_return<<<1, 1, 0, stream>>>(zeros.data(), end.data(), kept, lines);
  });
  return problem;
}
}  // namespace

// [step]
void weft::register_steps() {
  for (const Setting& setting :
       Axes().with("shared", {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}).settings()) {
    const int shared = setting.number();
    Variant made("carve-out", setting);
    made.kind = Kind::experiment;
    made.curve = true;
    made.checked = {{0}, {64}};
    made.measured = {{4096}};  // 512 KiB, twice what an L1 can hold
    made.counted = {{64}};
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = 2 * shape[0]}; };
    made.make = [=](const Shape& shape) { return make(shape[0], shared); };
    made.quantities = {{"kept", "KiB", Origin::clock, written_number(model::line_bytes / 1024.0)}};
    made.predict = [](const Shape& shape) {
      const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
      return model::Prediction{}
          .global_load(2 * shape[0], 4, one)
          .global_store(1, 4, one)
          .global_store(1, 8, one);
    };
    add(std::move(made));
  }
}
// [step]
