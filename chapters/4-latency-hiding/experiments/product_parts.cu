// A product like chapter 7's `strided`, one part after the other: reads of the tiles, FFMAs, barriers, stores
// of the tiles, fetches of the same words in each turn, fetches of the next tiles.
#include "problem.hpp"

namespace {
constexpr int tile = 128;
constexpr int depth = 8;
constexpr int pitch = tile + 4;
constexpr int side = 4;  // results of a thread, down and across
constexpr int results = side * side;
constexpr dim3 block{tile / side, tile / side};

// [parts]
constexpr int reads = 1;  // of shared memory; each word that is read is used once, by one of four FFMAs
constexpr int ffmas = 2;  // all 16 of them for eight words
constexpr int barriers = 3;
constexpr int stores = 4;      // a thread's two words of the tiles, in each turn
constexpr int same_words = 5;  // are fetched from global memory in each turn
constexpr int next_words = 6;  // are fetched: this is the whole product
// [parts]

// [kernel]
/// @param window -1, or 0: each turn fetches what the first one does
/// @param none 0, which the compiler does not know: so each turn must read its words anew
template <int parts>
__global__ void __launch_bounds__(block.x* block.y, 1)
    multiply(int m, int n, int k, const float* __restrict__ a, const float* __restrict__ b,
             float* __restrict__ c, int window, int none) {
  __shared__ float tile_a[depth][pitch];
  __shared__ float tile_b[depth][tile];
  int x = threadIdx.x;
  int y = threadIdx.y;
  const int thread = threadIdx.y * block.x + threadIdx.x;
  const int first_row = static_cast<int>(blockIdx.y) * tile;
  const int first_column = static_cast<int>(blockIdx.x) * tile;
  const int row_of_a = thread / depth;
  const int column_of_a = thread % depth;
  const int row_of_b = thread / tile;
  const int column_of_b = thread % tile;
  const bool has_a = first_row + row_of_a < m;
  const bool has_b = first_column + column_of_b < n;
  const float* const from_a = a + std::int64_t{first_row + row_of_a} * k + column_of_a;
  const float* const from_b = b + std::int64_t{row_of_b} * n + first_column + column_of_b;
  float word_a = 0;
  float word_b = 0;
  const auto fetch = [&](int first) {
    word_a = has_a && first + column_of_a < k ? from_a[first] : 0;
    word_b = has_b && first + row_of_b < k ? from_b[std::int64_t{first} * n] : 0;
  };
  const auto store = [&] {
    tile_a[column_of_a][row_of_a] = word_a;
    tile_b[row_of_b][column_of_b] = word_b;
  };

  if (parts < same_words) fetch(0);
  if (parts < stores) store();
  if (parts < barriers) __syncthreads();
  float sums[side][side] = {};
  for (int first = 0; first < k; first += depth) {
    if (parts >= same_words) fetch(first & window);
    if (parts >= stores) store();
    if (parts >= barriers) __syncthreads();
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float of_a[side];
      float of_b[side];
#pragma unroll
      for (int i = 0; i < side; ++i) of_a[i] = tile_a[l][y + i * block.y];
#pragma unroll
      for (int j = 0; j < side; ++j) of_b[j] = tile_b[l][x + j * block.x];
#pragma unroll
      for (int i = 0; i < side; ++i) {
#pragma unroll
        for (int j = 0; j < side; ++j) {
          if (parts >= ffmas || i == j) sums[i][j] += of_a[i] * of_b[j];
        }
      }
    }
    if (parts >= barriers) __syncthreads();
    x += none;
    y += none;
  }
#pragma unroll
  for (int i = 0; i < side; ++i) {
#pragma unroll
    for (int j = 0; j < side; ++j) {
      const int row = first_row + y + i * block.y;
      const int column = first_column + x + j * block.x;
      if (row < m && column < n) c[std::int64_t{row} * n + column] = sums[i][j];
    }
  }
}
// [kernel]

// A is u(row) · v(l) and B is w(l) · z(column), small integers. So an element of C is u · z times a sum of
// v · w, and FP32 has it exactly in any order.
std::int64_t small(std::uint64_t seed, std::int64_t index) { return word(seed, index) % 7 + 1; }
std::int64_t row_factor(std::uint64_t seed, std::int64_t row) { return small(seed, row); }
std::int64_t column_factor(std::uint64_t seed, std::int64_t column) { return small(seed + 1, column); }
std::int64_t depth_factor_of_a(std::uint64_t seed, std::int64_t l) { return small(seed + 2, l); }
std::int64_t depth_factor_of_b(std::uint64_t seed, std::int64_t l) { return small(seed + 3, l); }

/// What the turns of a block add up, but for the factors of row and column.
std::int64_t sum_over_depth(std::uint64_t seed, std::int64_t k, int parts) {
  std::int64_t sum = 0;
  for (std::int64_t first = 0; first < k; first += depth) {
    const std::int64_t fetched = parts == next_words ? first : 0;
    for (std::int64_t l = fetched; l < min(fetched + depth, k); ++l) {
      sum += depth_factor_of_a(seed, l) * depth_factor_of_b(seed, l);
    }
  }
  return sum;
}

template <int parts>
Owned<Problem> make(const Shape& shape) {
  const std::int64_t m = shape[0];
  const std::int64_t n = shape[1];
  const std::int64_t k = shape[2];
  auto problem = make_owned<ArrayProblem>();
  auto& a = problem->input<float>("A", {m, k}, [=](std::uint64_t seed, std::int64_t index) {
    return row_factor(seed, index / k) * depth_factor_of_a(seed, index % k);
  });
  auto& b = problem->input<float>("B", {k, n}, [=](std::uint64_t seed, std::int64_t index) {
    return depth_factor_of_b(seed, index / n) * column_factor(seed, index % n);
  });
  const auto product = [=](std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) {
    const std::int64_t sum = sum_over_depth(seed, k, parts);
    for (std::int64_t index = first; index < last; ++index) {
      const std::int64_t row = index / n;
      const std::int64_t column = index % n;
      const bool computed = parts >= ffmas || row % tile / block.y == column % tile / block.x;
      const std::int64_t value = computed ? row_factor(seed, row) * column_factor(seed, column) * sum : 0;
      values[index - first] = static_cast<float>(value);
    }
  };
  auto& c = problem->output<float>("C", {m, n}, product);
  problem->launches([=, &a, &b, &c](cudaStream_t stream) {
    constexpr int program = parts == next_words ? same_words : parts;  // they differ in `window` alone
    const dim3 grid(static_cast<unsigned>(blocks_over(n, tile)), static_cast<unsigned>(blocks_over(m, tile)));
    multiply<program><<<grid, block, 0, stream>>>(static_cast<int>(m), static_cast<int>(n),
                                                  static_cast<int>(k), a.data(), b.data(), c.data(),
                                                  parts == next_words ? -1 : 0, 0);
  });
  return problem;
}

template <int parts>
model::Prediction predict(const Shape& shape) {
  const std::int64_t n = shape[1];
  const std::int64_t k = shape[2];
  const std::int64_t warps = shape[0] * n / results / model::warp_size;
  const std::int64_t turns = k / depth;
  const std::int64_t fetches = parts >= same_words ? warps * turns : warps;
  const std::int64_t stored = parts >= stores ? warps * turns : warps;
  return model::Prediction{}
      .global_load(fetches, 4, [=](int lane) { return lane / depth * k + lane % depth; })
      .global_load(fetches, 4, own_lane)
      .shared_store(stored, 4, [](int lane) { return lane % depth * pitch + lane / depth; })
      .shared_store(stored, 4, own_lane)
      .shared_load(warps * k * side, 4, [](int) { return 0; })
      .shared_load(warps * k * side, 4, own_lane)
      .global_store(warps * results, 4, own_lane);
}

template <int parts>
void add_parts() {
  Variant made("product-parts", {{{"parts", {parts}}}, parts == next_words});
  made.kind = Kind::experiment;
  made.checked = {{1, 1, 1}, {128, 128, 8}, {130, 257, 21}};
  made.measured = {{4096, 4096, 4096}};
  made.counted = {{256, 128, 64}};
  made.rated_by = Rating::operations;
  made.amounts = [](const Shape& shape) { return Amounts{.operations = 2 * shape[0] * shape[1] * shape[2]}; };
  made.make = make<parts>;
  made.predict = predict<parts>;
  add(std::move(made));
}
}  // namespace

/// The shape is m × n × k. Rated is the whole product, also where parts of it are left out.
void weft::register_steps() {
  add_parts<next_words>();
  add_parts<reads>();
  add_parts<ffmas>();
  add_parts<barriers>();
  add_parts<stores>();
  add_parts<same_words>();
}
