// Each store of a warp writes a word into each of 32 sectors, which lie in 8 lines, in 16 or in 32.

#include "check/arrays.hpp"
#include "check/pattern.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr dim3 block{256};
constexpr std::int64_t words_of_sector = 8;
/// The lines of a request; a 0 behind them means that nothing is loaded.
const List<Numbers> all_lines{{32}, {16}, {8}, {32, 0}};

/// Where the word of an input is stored, if a request's sectors lie in so many lines. All words of sectors
/// that are 0th in their sector come first, then all that are 1st. The other sectors of a line belong to the
/// requests beside this one.
__host__ __device__ constexpr std::int64_t place_of(std::int64_t index, std::int64_t count, int lines) {
  const std::int64_t sectors = count / words_of_sector;
  const std::int64_t request = index % sectors / model::warp_size;
  const std::int64_t lane = index % model::warp_size;
  const int sharing = lines / 8;  // requests that write the same lines
  const std::int64_t sector = (request / sharing * model::warp_size + lane) * sharing + request % sharing;
  return sector * words_of_sector + index / sectors;
}

__global__ void scatter_stores(const float* __restrict__ in, float* __restrict__ out, std::int64_t count,
                               int lines) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index < count) out[place_of(index, count, lines)] = in[index];
}

/// The same stores without the loads: each word is its number.
__global__ void scatter_numbers(float* __restrict__ out, std::int64_t count, int lines) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index < count) out[place_of(index, count, lines)] = static_cast<float>(index);
}

Owned<Problem> problem(std::int64_t count, int lines, bool loads) {
  constexpr std::int64_t whole = words_of_sector * model::warp_size * 4;
  if (count % whole != 0) refuse("groups of four requests must divide the words");
  const auto source_of = [=](std::int64_t place) {
    const std::int64_t sharing = lines / 8;
    const std::int64_t sector = place / words_of_sector;
    const std::int64_t group = sector / sharing;
    const std::int64_t request = group / model::warp_size * sharing + sector % sharing;
    return place % words_of_sector * (count / words_of_sector) + request * model::warp_size +
           group % model::warp_size;
  };
  auto made = make_owned<ArrayProblem>();
  const auto& in = made->input<float>("in", {count}, hashed_floats);
  auto& out = made->output<float>("out", {count}, [=](std::uint64_t seed, std::int64_t place) {
    return loads ? hashed_float(seed, source_of(place)) : static_cast<float>(source_of(place));
  });
  made->launches([=, &in, &out](cudaStream_t stream) {
    const dim3 grid = grid_over(count, 1, block);
    if (loads) {
      scatter_stores<<<grid, block, 0, stream>>>(in.data(), out.data(), count, lines);
    } else {
      scatter_numbers<<<grid, block, 0, stream>>>(out.data(), count, lines);
    }
  });
  return made;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes(block).with_tuples("lines", all_lines).settings()) {
    const int lines = setting.number("lines");
    const bool loads = setting["lines"].size() == 1;
    Variant made("scattered-stores", setting);
    made.kind = Kind::experiment;
    made.l2 = L2::warm;
    made.checked = {{32, 32}, {64, 64}, {96, 1024}};
    made.measured = {{2048, 2048}};
    made.counted = {{1024, 1024}};
    made.make = [=](const Shape& shape) { return problem(shape[0] * shape[1], lines, loads); };
    made.amounts = [=](const Shape& shape) {
      return Amounts{.bytes = (loads ? 2 : 1) * std::int64_t{sizeof(float)} * shape[0] * shape[1]};
    };
    made.predict = [=](const Shape& shape) {
      const std::int64_t words = shape[0] * shape[1];
      model::Prediction prediction;
      if (loads) prediction.global_load(words / model::warp_size, 4, [](int lane) { return lane; });
      return prediction.global_store(words / model::warp_size, 4,
                                     [=](int lane) { return place_of(lane, words, lines); });
    };
    add(std::move(made));
  }
}
