// An array lies in the L2, each line only in the half that is its home: how fast are the first reads from
// near, and from afar?
#include <algorithm>

#include "pieces.hpp"

namespace {
/// The shape is the mebibytes of the array.
std::int64_t tiles_of(const Shape& shape) { return (shape[0] << 20) / 16 / vectors_of_tile; }

Owned<Problem> make(const Shape& shape, Taken taken) {
  const std::int64_t tiles = tiles_of(shape);
  const std::int64_t words = tiles * vectors_of_tile * 4;
  auto problem = make_owned<HomesProblem>(tiles);
  auto& all = *problem;
  auto& in = all.input<std::uint32_t>("in", {words}, word_of_pieces);
  all.sums_are_of(words, 1);
  problem->launches([=, &all, &in](cudaStream_t stream) {
    find(stream, all, in.data());
    const auto blocks = static_cast<unsigned>(multiprocessors());
    const auto turns = static_cast<std::uint32_t>(tiles);
    const auto* const vectors = reinterpret_cast<const uint4*>(in.data());
    for (const Taken which : {Taken::near, taken}) {  // first from the DRAM to the homes alone
      read_pieces<<<blocks, tile_block, 0, stream>>>(vectors, all.homes(), which, turns, turns, all.sums(),
                                                     all.cycles());
    }
  });
  return problem;
}

/// What all multiprocessors get together in a cycle, until the last has read its part.
double bytes_in_a_cycle(Problem& problem) {
  const Numbers numbers = written_numbers(problem);
  const std::int64_t blocks = multiprocessors();
  const auto* const cycles = numbers.begin() + blocks * pairs_of_tile;
  const auto& homes = dynamic_cast<const HomesProblem&>(problem);
  return static_cast<double>(std::int64_t{homes.tiles()} * vectors_of_tile * 16) /
         static_cast<double>(*std::max_element(cycles, cycles + blocks));
}

model::Prediction predict(std::int64_t tiles) {
  const auto own = [](int lane) { return lane; };
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  model::Prediction predicted = predict_find(tiles);
  for (int read = 0; read < 2; ++read) {
    predict_homes(predicted, tiles);
    predicted.global_load(2 * tiles * pairs_of_tile * requests_of_piece, 16, own)
        .global_store(multiprocessors() * (pairs_of_tile + 1), 8, one);
  }
  return predicted;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("home", {0, 1, 2}).settings()) {
    const auto taken = static_cast<Taken>(setting.number());
    Variant made("first-read", setting);
    made.kind = Kind::experiment;
    made.checked = {{1}, {3}};
    made.measured = {{16}};
    made.counted = {{1}};
    made.polls = true;
    made.make = [=](const Shape& shape) { return make(shape, taken); };
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 2 * tiles_of(shape) * vectors_of_tile * 16};
    };
    made.quantities = {{"bytes-in-a-cycle", "bytes", Origin::clock, bytes_in_a_cycle}};
    made.predict = [](const Shape& shape) { return predict(tiles_of(shape)); };
    add(std::move(made));
  }
}
