// Pieces of 4 to 128 bytes in random order: a sector costs as much if a piece fills only a part of it.
#include "kernel/permutation.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
const Numbers piece_bytes{4, 8, 16, 32, 64, 128};

// [kernel]
/// Where the element of a thread lies: pieces of 2^log_piece elements change places, the rest stays.
__host__ __device__ constexpr std::int64_t scattered(std::int64_t index, std::int64_t count, int log_piece,
                                                     const Permutation& permutation) {
  const std::int64_t within = (std::int64_t{1} << log_piece) - 1;
  if (index >= (count & ~within)) return index;
  return permutation(index >> log_piece) << log_piece | (index & within);
}

__global__ void add_scattered(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                              std::int64_t count, int log_piece, Permutation permutation) {
  const std::int64_t index = thread_index();
  if (index >= count) return;
  const std::int64_t place = scattered(index, count, log_piece, permutation);
  c[place] = a[place] + b[place];
}
// [kernel]

/// The base-2 logarithm of a piece's elements.
constexpr int log_piece(std::int64_t bytes) {
  return std::bit_width(static_cast<unsigned>(bytes) / sizeof(float)) - 1;
}

Permutation of_pieces(std::int64_t count, std::int64_t bytes) {
  return Permutation(max(count >> log_piece(bytes), std::int64_t{1}));
}

// [launch]
void launch(cudaStream_t stream, Vectors v, int bytes) {
  add_scattered<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count, log_piece(bytes),
                                                                of_pieces(v.count, bytes));
}
// [launch]

// [predict]
/// The warps are not alike: two pieces may happen to lie in one sector.
model::Prediction predict(std::int64_t count, int bytes) {
  const Permutation permutation = of_pieces(count, bytes);
  model::Prediction prediction;
  for (std::int64_t first = 0; first < count; first += model::warp_size) {
    const auto place = [&](int lane) {
      return scattered(first + lane, count, log_piece(bytes), permutation);
    };
    prediction.global_load(2, 4, place).global_store(1, 4, place);
  }
  return prediction;
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  add_vectors("scattered", Axes(block).with("piece", piece_bytes), launch, predict,
              {.curve = true, .measured = {timed_size}, .counted = {counted_size}});
}
// [step]

TEST_CASE("every place is taken once") {
  for (const std::int64_t count : {1, 2, 3, 8, 31, 1000, 1031, 4096}) {
    for (const std::int64_t bytes : piece_bytes) {
      List<bool> taken(static_cast<std::size_t>(count));
      for (std::int64_t index = 0; index < count; ++index) {
        const std::int64_t place = scattered(index, count, log_piece(bytes), of_pieces(count, bytes));
        REQUIRE(place >= 0);
        REQUIRE(place < count);
        CHECK_FALSE(taken[static_cast<std::size_t>(place)]);
        taken[static_cast<std::size_t>(place)] = true;
      }
    }
  }
}

TEST_CASE("a warp's pieces hardly ever share a sector, and pieces of a sector or more never do") {
  constexpr std::int64_t count = 1 << 20;
  for (const std::int64_t bytes : piece_bytes) {
    const model::Metrics predicted = predict(count, static_cast<int>(bytes));
    const double per_request = static_cast<double>(predicted[model::Metric::global_load_sectors]) /
                               static_cast<double>(predicted[model::Metric::global_load_requests]);
    const double apart = bytes >= model::sector_bytes ? 4 : 128. / static_cast<double>(bytes);
    CHECK(per_request <= apart);
    CHECK(per_request > 0.99 * apart);
    if (bytes >= model::sector_bytes) CHECK(per_request == apart);
  }
}
