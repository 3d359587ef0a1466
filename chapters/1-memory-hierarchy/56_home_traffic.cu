// Each multiprocessor reads or writes only lines whose home is the half of the L2 that is near to it, or only
// the others, or some of both.
#include "pieces.hpp"

namespace {
/// Each word becomes its own number.
__global__ __launch_bounds__(tile_block.x, 1) void write_pieces(uint4* __restrict__ out, Homes homes,
                                                                Taken taken, std::uint32_t tiles,
                                                                std::uint32_t turns) {
  for_pieces(homes, taken, tiles, turns, [&](std::int64_t first) {
#pragma unroll
    for (int i = 0; i < requests_of_piece; ++i) {
      const std::int64_t index = first + std::int64_t{32} * i;
      const auto word = static_cast<std::uint32_t>(4 * index);
      out[index] = {word, word + 1, word + 2, word + 3};
    }
  });
}

/// How many arrays are read, and how many are written.
const List<Numbers> mixes{{1, 0}, {0, 1}};

/// The shape is the mebibytes of the array, and how often they are gone over.
struct Division {
  std::int64_t tiles, turns;

  explicit Division(const Shape& shape)
      : tiles((shape[0] << 20) / 16 / vectors_of_tile), turns(tiles * shape[1]) {}

  [[nodiscard]] std::int64_t words() const { return tiles * vectors_of_tile * 4; }
};

Owned<Problem> make(const Shape& shape, bool reads, Taken taken) {
  const Division d(shape);
  auto problem = make_owned<HomesProblem>(d.tiles);
  auto& all = *problem;
  auto& array = reads ? all.input<std::uint32_t>("in", {d.words()}, word_of_pieces)
                      : all.output<std::uint32_t>("out", {d.words()}, [](auto, std::int64_t index) {
                          return static_cast<std::uint32_t>(index);
                        });
  if (reads) all.sums_are_of(d.words(), shape[1]);
  problem->launches([=, &all, &array](cudaStream_t stream) {
    find(stream, all, array.data());
    const auto blocks = static_cast<unsigned>(multiprocessors());
    const auto tiles = static_cast<std::uint32_t>(d.tiles);
    const auto turns = static_cast<std::uint32_t>(d.turns);
    auto* const vectors = reinterpret_cast<uint4*>(array.data());
    if (reads) {
      read_pieces<<<blocks, tile_block, 0, stream>>>(vectors, all.homes(), taken, tiles, turns, all.sums(),
                                                     all.cycles());
    } else {
      write_pieces<<<blocks, tile_block, 0, stream>>>(vectors, all.homes(), taken, tiles, turns);
    }
  });
  return problem;
}

model::Prediction predict(const Shape& shape, bool reads) {
  const Division d(shape);
  const std::int64_t blocks = multiprocessors();
  const std::int64_t requests = 2 * d.turns * pairs_of_tile * requests_of_piece;
  const auto own = [](int lane) { return lane; };
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  model::Prediction predicted = predict_find(d.tiles);
  predict_homes(predicted, d.turns);
  predicted.global_load(reads ? requests : 0, 16, own).global_store(reads ? 0 : requests, 16, own);
  if (reads) predicted.global_store(blocks * (pairs_of_tile + 1), 8, one);
  return predicted;
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("home", {0, 1, 2}).with_tuples("arrays", mixes);
  for (const Setting& setting : axes.settings()) {
    const auto taken = static_cast<Taken>(setting.number("home"));
    const bool reads = setting["arrays"] == mixes[0];
    Variant made("home-traffic", setting);
    made.checked = {{1, 1}, {1, 3}, {5, 2}};
    made.measured = {{16, 128}, {1024, 1}};
    made.counted = {{1, 2}};
    made.l2 = L2::warm;
    made.polls = true;
    made.make = [=](const Shape& shape) { return make(shape, reads, taken); };
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 16 * Division(shape).turns * vectors_of_tile};
    };
    made.predict = [=](const Shape& shape) { return predict(shape, reads); };
    add(std::move(made));
  }
}
