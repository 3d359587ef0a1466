// A picture is turned grey: a thread takes four pixels, twelve bytes, in three words.
//
// Exercise: Source 003 turns a picture grey with a thread for each pixel of three bytes. Coarsen the kernel,
// so that its loads ask for words.
#include "problem.hpp"

namespace {
constexpr dim3 grey_block{256};
constexpr int pixels = 4;  // of a thread: three words of colours, one of greys
constexpr int words = 3;

// [kernel]
/// @param colours red, green and blue of each pixel, four pixels in three words
/// @param greys a byte of each pixel, four pixels in one word
__global__ void grey(const std::uint32_t* __restrict__ colours, std::uint32_t* __restrict__ greys,
                     std::int64_t count) {
  const std::int64_t four = std::int64_t{blockIdx.x} * grey_block.x + threadIdx.x;
  if (pixels * four >= count) return;
  std::uint32_t word[words];
#pragma unroll
  for (int i = 0; i < words; ++i) word[i] = colours[words * four + i];
  std::uint32_t result = 0;
#pragma unroll
  for (int i = 0; i < pixels; ++i) {
    const auto byte = [&](int number) { return word[number / 4] >> (number % 4 * 8) & 255U; };
    result |= (77 * byte(3 * i) + 150 * byte(3 * i + 1) + 29 * byte(3 * i + 2)) / 256 << (8 * i);
  }
  greys[four] = result;
}
// [kernel]

/// Byte after byte, whatever the words are.
std::uint32_t colour(std::uint64_t seed, std::int64_t byte) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(byte) * (2 * seed + 37) >> 3U) & 255U;
}

std::uint32_t grey_of(std::uint64_t seed, std::int64_t pixel) {
  const auto part = [&](int number) { return colour(seed, 3 * pixel + number); };
  return (77 * part(0) + 150 * part(1) + 29 * part(2)) / 256;
}

/// Four bytes as a word.
template <typename Byte>
auto word_of(Byte byte) {
  return [=](std::uint64_t seed, std::int64_t index) {
    std::uint32_t found = 0;
    for (int i = 0; i < 4; ++i) found |= byte(seed, 4 * index + i) << (8 * i);
    return found;
  };
}

// [predict]
/// A thread's words lie side by side, so the lanes of one load lie twelve bytes apart.
model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / pixels / model::warp_size;
  return model::Prediction{}
      .global_load(words * warps, 4, [](int lane) { return words * lane; })
      .global_store(warps, 4, own_lane);
}
// [predict]
}  // namespace

void weft::register_steps() {
  Variant made("grey", Axes().settings().front());
  made.checked = {{0}, {4}, {1020}, {1028}, {40'000}};
  made.measured = {{1 << 26}};
  made.counted = {{1 << 16}};
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 4 * shape[0]}; };
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  made.make = [](const Shape& shape) {
    const std::int64_t count = shape[0];
    auto problem = make_owned<ArrayProblem>();
    auto& colours = problem->input<std::uint32_t>("colours", {words * count / pixels}, word_of(colour));
    auto& greys = problem->output<std::uint32_t>("greys", {count / pixels}, word_of(grey_of));
    problem->launches([=, &colours, &greys](cudaStream_t stream) {
      if (count == 0) return;
      const auto blocks = static_cast<unsigned>(blocks_over(count / pixels, grey_block.x));
      grey<<<blocks, grey_block, 0, stream>>>(colours.data(), greys.data(), count);
    });
    return problem;
  };
  add(std::move(made));
}

TEST_CASE("a load of a warp touches twelve sectors, and a third of each is for this load") {
  with_counts({1 << 16}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_sectors] == 12 * counted[model::Metric::global_load_requests]);
    CHECK(counted[model::Metric::global_load_requests] == 3 * (1 << 16) / pixels / model::warp_size);
  });
}
