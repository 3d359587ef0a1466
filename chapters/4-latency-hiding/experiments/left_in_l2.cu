// Another kernel writes more words than the L2 holds, or reads them. The floats that are added up behind it
// are streamed, or not.
#include <cmath>

#include "sum.hpp"
#include "thread_sum.hpp"

namespace {
constexpr int loads = 8;
constexpr int threads = 512;
constexpr std::int64_t words_of_mebibyte = 1 << 18;

std::uint32_t word_left(std::uint64_t /*seed*/, std::int64_t index) {
  return static_cast<std::uint32_t>(index);
}

__device__ std::int64_t own_place() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

__global__ void write_words(uint4* words) {
  const auto first = static_cast<std::uint32_t>(own_place() * 4);
  words[own_place()] = {first, first + 1, first + 2, first + 3};
}

/// @param none no word of all
__global__ void read_words(const uint4* __restrict__ words, std::uint32_t none, float* found) {
  const uint4 four = words[own_place()];
  if ((four.x & four.y & four.z & four.w) == none) *found = 0;
}

// [kernel]
/// @param none equal to nothing, which the compiler does not know: a NaN
template <bool streamed>
__global__ __launch_bounds__(threads, 1) void read_floats(const float* __restrict__ in, std::int64_t count,
                                                          float none, float* found) {
  const float sum = sum_of_tiles<threads, loads, streamed>(in, count, blockIdx.x, 1, blockIdx.x + 1);
  if (sum == none) *found = sum;
}
// [kernel]

Owned<Problem> make(std::int64_t count, std::int64_t words_left, bool written, bool streamed) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<float>("in", {count}, hashed_floats);
  auto& found = problem->output<float>("found", {1}, [](auto, auto) { return poison<float>(); });
  const auto blocks = static_cast<unsigned>(tiles_of(count, threads, loads));
  const auto read = [=, &in, &found](cudaStream_t stream) {
    const auto kernel = streamed ? read_floats<true> : read_floats<false>;
    kernel<<<blocks, threads, 0, stream>>>(in.data(), count, std::nanf(""), found.data());
  };
  const auto blocks_left = static_cast<unsigned>(words_left / 4 / threads);
  if (written) {
    auto& words = problem->output<std::uint32_t>("words", {words_left}, word_left);
    problem->launches([=, &words](cudaStream_t stream) {
      write_words<<<blocks_left, threads, 0, stream>>>(reinterpret_cast<uint4*>(words.data()));
      read(stream);
    });
  } else {
    auto& words = problem->input<std::uint32_t>("words", {words_left}, word_left);
    problem->launches([=, &words, &found](cudaStream_t stream) {
      read_words<<<blocks_left, threads, 0, stream>>>(reinterpret_cast<const uint4*>(words.data()), ~0U,
                                                      found.data());
      read(stream);
    });
  }
  return problem;
}
}  // namespace

/// The shape counts floats, and the mebibytes that the other kernel leaves.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("written", {1, 0}).with("streamed", {1, 0}).settings()) {
    Variant made("left-in-l2", setting);
    made.kind = Kind::experiment;
    made.checked = {{1, 1}, {65'536, 2}};
    made.measured = {{1 << 24, 128}, {1 << 28, 128}};
    made.counted = {{1 << 12, 1}};
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 4 * (shape[0] + shape[1] * words_of_mebibyte)};
    };
    made.make = [=](const Shape& shape) {
      return make(shape[0], shape[1] * words_of_mebibyte, setting.number("written") != 0,
                  setting.number("streamed") != 0);
    };
    add(std::move(made));
  }
}
