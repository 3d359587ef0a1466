#include "tiles.hpp"

namespace weft {
namespace {

constexpr std::int64_t warps = tile_block.x / model::warp_size;  ///< of a block
constexpr std::int64_t words_of_request = std::int64_t{model::warp_size} * 4;

/// How a shape divides into tiles, and who takes them.
struct Division {
  std::int64_t requests, tiles, turns, blocks;

  Division(const Shape& shape, const Traffic& traffic, int who)
      : requests(traffic.requests),
        tiles((shape[0] << 20) / (traffic.inputs + traffic.outputs) /
              (requests * warps * words_of_request * 4)),
        turns(tiles * shape[1]),
        blocks(tiles == 0 || who == a_block_for_each_tile ? turns
               : who == a_block_for_each_multiprocessor   ? multiprocessors()
                                                          : who) {}

  /// Of one array, as often as it is gone over.
  [[nodiscard]] std::int64_t moved() const { return turns * requests * warps * words_of_request; }

  /// Of one array.
  [[nodiscard]] std::int64_t words() const { return tiles * requests * warps * words_of_request; }
};

std::uint32_t word(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

/// The sum of the words of a request, which begin so many apart.
std::uint32_t sum_of_request(std::uint64_t seed, std::int64_t first) {
  constexpr std::int64_t below = words_of_request * (words_of_request - 1) / 2;
  return word(seed, first) * words_of_request + static_cast<std::uint32_t>(5 * below);
}

std::uint32_t sum_of_warp(std::uint64_t seed, std::int64_t warp, const Division& d) {
  std::uint32_t sum = 0;
  for (std::int64_t turn = warp / warps; turn < d.turns; turn += d.blocks) {
    for (std::int64_t i = 0; i < d.requests; ++i) {
      const std::int64_t request = (turn % d.tiles * d.requests + i) * warps + warp % warps;
      sum += sum_of_request(seed, request * words_of_request);
    }
  }
  return sum;
}

/// What a word of the output becomes: its own number, a copied or scaled word, or the triad's.
std::uint32_t result(std::uint64_t seed, std::int64_t index, const Traffic& traffic, std::int64_t words) {
  if (traffic.inputs == 0) return static_cast<std::uint32_t>(index);
  if (traffic.inputs == 1) return traffic.multiplier * word(seed, index);
  return word(seed, index) + traffic.multiplier * word(seed, words + index);
}

Owned<Problem> make(const Shape& shape, const Traffic& traffic, int blocks) {
  const Division d(shape, traffic, blocks);
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {traffic.inputs, d.words()}, word);
  auto& out = problem->output<std::uint32_t>(
      "out", {traffic.outputs, d.words()},
      [=](auto seed, std::int64_t i) { return result(seed, i, traffic, d.words()); });
  auto& sums = problem->output<std::uint32_t>(
      "sums", {traffic.outputs == 0 ? d.blocks * warps : 0},
      [=](auto seed, std::int64_t warp) { return sum_of_warp(seed, warp, d); });
  problem->launches([=, &in, &out, &sums](cudaStream_t stream) {
    if (d.tiles == 0) return;
    traffic.launch(static_cast<unsigned>(d.blocks), stream, reinterpret_cast<const uint4*>(in.data()),
                   reinterpret_cast<uint4*>(out.data()), sums.data(), static_cast<std::uint32_t>(d.tiles),
                   static_cast<std::uint32_t>(d.turns));
  });
  return problem;
}

model::Prediction predict(const Shape& shape, const Traffic& traffic, int blocks) {
  const Division d(shape, traffic, blocks);
  const std::int64_t requests = d.moved() / words_of_request;
  const auto own = [](int lane) { return lane; };
  model::Prediction predicted;
  predicted.global_load(traffic.inputs * requests, 16, own).global_store(traffic.outputs * requests, 16, own);
  if (traffic.outputs == 0) {
    predicted.global_store(d.blocks * warps, 4,
                           [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); });
  }
  return predicted;
}

}  // namespace

Variant bandwidth(const char* name, const Setting& setting, const Traffic& traffic, int blocks) {
  Variant made(name, setting);
  made.checked = {{0, 1}, {1, 1}, {3, 3}};
  made.counted = {{1, 2}};
  made.l2 = L2::warm;
  made.make = [=](const Shape& shape) { return make(shape, traffic, blocks); };
  made.amounts = [=](const Shape& shape) {
    const Division d(shape, traffic, blocks);
    return Amounts{.bytes = (traffic.inputs + traffic.outputs) * 4 * d.moved()};
  };
  made.predict = [=](const Shape& shape) { return predict(shape, traffic, blocks); };
  return made;
}

}  // namespace weft
