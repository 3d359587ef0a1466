// One thread loads lines whose homes are known, half of them near: from the DRAM, from the L2, and after
// others have stored them.
#include "find_homes.hpp"

namespace {
/// What has happened to the lines, each of which the launch finds in the DRAM. All of it is done by single
/// warps; here means by one that is near to the same half as the thread that will load them.
enum class Before : std::uint8_t {
  nothing,
  read_at_home,            ///< each by a warp near to its home
  copied_and_stored_here,  ///< then read here, and a word of each stored here
  copied_and_stored_there,
  stored_here,  ///< read at home, and a word of each stored here
  whole_stored_here
};

/// What a warp does with a line.
enum class Touch : std::uint8_t { load, store_word, store_line };

/// Who does it.
enum class Who : std::uint8_t {
  here,    ///< a warp near to half 0, with all lines
  there,   ///< a warp near to half 1, with all lines
  at_home  ///< both, each with the lines that are near
};

constexpr std::int64_t lines_of_tile = 2 * pairs_of_tile;  // the first line of each piece
constexpr std::int64_t words_of_piece = piece_bytes / 4;

/// Where the near line of a pair lies for a thread near to half 0, or the far one: in pieces.
__device__ unsigned piece_of(std::uint32_t first, unsigned pair, bool far) {
  return 2 * pair + ((first >> pair & 1U) == (far ? 1U : 0U) ? 1 : 0);
}

__global__ void touch(std::uint32_t* words, Homes homes, std::uint32_t tiles, Who who, Touch how) {
  const Seat seat = seat_of_block(homes);
  if (seat.number != 1 || (who != Who::at_home && seat.half != static_cast<unsigned>(who))) return;
  std::uint32_t sum = 0;
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    const std::uint32_t first = homes.first[tile];
    for (unsigned line = 0; line < lines_of_tile; ++line) {
      const bool far = line % 2 == 1;
      if (who == Who::at_home && far != (seat.half == 1)) continue;
      const std::int64_t word = (tile * lines_of_tile + piece_of(first, line / 2, far)) * words_of_piece;
      if (how == Touch::load) sum += __ldcg(words + word);
      if (how != Touch::load && (threadIdx.x == 0 || how == Touch::store_line)) {
        words[word + threadIdx.x] = static_cast<std::uint32_t>(word + threadIdx.x);  // as it was
      }
    }
  }
  if (sum == ~0U) words[0] = 0;  // so that what is read is used
}

// [visit]
/// The thread loads the near line of each pair, and then the far one.
/// @param cycles takes those of each load, with those of reading the clock
__global__ void visit(const std::uint32_t* words, Homes homes, std::uint32_t tiles, std::uint32_t* sum,
                      std::int64_t* cycles) {
  const Seat seat = seat_of_block(homes);
  if (seat.half != 0 || seat.number != 0) return;
  std::uint32_t all = 0;
  const std::int64_t end = tiles * lines_of_tile * words_of_piece;
  for (int part = 0; part < 3; ++part) {  // other lines: so that the pages' addresses are known
    if (__ldcg(words + part * (end / 2 - words_of_piece) + words_of_piece / 2) == ~0U) return;
  }
  const std::uint32_t pairs = tiles * pairs_of_tile;
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const std::uint32_t pair = i * 37 % pairs;  // neighbours do not follow each other
    const std::uint32_t first = homes.first[pair / pairs_of_tile];
    for (int far = 0; far < 2; ++far) {
      const unsigned piece = piece_of(first, pair % pairs_of_tile, far == 1);
      const std::uint32_t* const line =
          words + (pair / pairs_of_tile * lines_of_tile + piece) * words_of_piece;
      const clock_t before = clock();
      const std::uint32_t found = __ldcg(line);
      if (found == ~0U) return;  // no word is: so the clock is not read again before the word has come
      cycles[2 * i + far] = static_cast<unsigned>(clock() - before);
      all += found;
    }
  }
  *sum = all;
}
// [visit]

struct Touched {
  Who who;
  Touch how;
};

/// What is done before the visits, one after the other.
List<Touched> touches(Before before) {
  const Touched home{Who::at_home, Touch::load};
  const Touched copied{Who::here, Touch::load};
  switch (before) {
    case Before::nothing:
      return {};
    case Before::read_at_home:
      return {home};
    case Before::copied_and_stored_here:
      return {home, copied, {Who::here, Touch::store_word}};
    case Before::copied_and_stored_there:
      return {home, copied, {Who::there, Touch::store_word}};
    case Before::stored_here:
      return {home, {Who::here, Touch::store_word}};
    default:
      return {home, {Who::here, Touch::store_line}};
  }
}

/// The sum of the first words of all pieces.
std::uint32_t sum_of_lines(std::int64_t lines) {
  return static_cast<std::uint32_t>(lines * (lines - 1) / 2 * words_of_piece);
}

/// @param lines a multiple of those of a tile
Owned<Problem> make(std::int64_t lines, Before before) {
  auto problem = make_owned<HomesProblem>(lines / lines_of_tile);
  auto& all = *problem;
  auto& words = all.input<std::uint32_t>("words", {lines * words_of_piece}, [](auto, std::int64_t index) {
    return static_cast<std::uint32_t>(index);
  });
  auto& sum = all.output<std::uint32_t>("sum", {1}, [=](auto, auto) { return sum_of_lines(lines); });
  std::int64_t* const cycles = all.numbers(lines);
  problem->launches([=, &all, &words, &sum](cudaStream_t stream) {
    find(stream, all, words.data());
    const auto blocks = static_cast<unsigned>(multiprocessors());
    for (const Touched& one : touches(before)) {
      touch<<<blocks, 32, 0, stream>>>(words.data(), all.homes(), all.tiles(), one.who, one.how);
    }
    visit<<<blocks, 1, 0, stream>>>(words.data(), all.homes(), all.tiles(), sum.data(), cycles);
  });
  return problem;
}

/// So many in a hundred of the loads from near, or from afar, take no longer.
Function<double(Problem&)> percentile_of(int far, int percent) {
  return [=](Problem& problem) {
    const Numbers all = written_numbers(problem);
    Numbers cycles;
    for (std::int64_t i = far; i < ssize(all); i += 2) cycles.push_back(all[static_cast<std::size_t>(i)]);
    return percentile(std::move(cycles), percent);
  };
}

model::Prediction predict(std::int64_t lines, Before before) {
  const auto same = [](int) { return 0; };
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  const auto own = [](int lane) { return lane; };
  const std::int64_t blocks = multiprocessors();
  const std::int64_t tiles = lines / lines_of_tile;
  model::Prediction predicted = predict_find(tiles);
  for (const Touched& touched : touches(before)) {
    predicted.global_load(2 * blocks, 8, same)
        .global_load((touched.who == Who::at_home ? 2 : 1) * tiles, 4, same);
    if (touched.how == Touch::load) predicted.global_load(lines, 4, same);
    if (touched.how == Touch::store_word) predicted.global_store(lines, 4, one);
    if (touched.how == Touch::store_line) predicted.global_store(lines, 4, own);
  }
  return predicted.global_load(2 * blocks, 8, one)
      .global_load(3 + lines / 2 + lines, 4, one)
      .global_store(lines, 8, one)
      .global_store(1, 4, one);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("before", {0, 1, 2, 3, 4, 5}).settings()) {
    const auto before = static_cast<Before>(setting.number());
    Variant made("home-visits", setting);
    made.kind = Kind::experiment;
    made.checked = {{64}, {192}};
    made.measured = {{1024}};
    made.counted = {{64}};
    made.polls = true;
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0]}; };
    made.make = [=](const Shape& shape) { return make(shape[0], before); };
    made.predict = [=](const Shape& shape) { return predict(shape[0], before); };
    made.quantities = {{"near", "cycles", Origin::clock, percentile_of(0, 50)},
                       {"near-upper", "cycles", Origin::clock, percentile_of(0, 75)},
                       {"far-lower", "cycles", Origin::clock, percentile_of(1, 25)},
                       {"far", "cycles", Origin::clock, percentile_of(1, 50)}};
    add(std::move(made));
  }
}
