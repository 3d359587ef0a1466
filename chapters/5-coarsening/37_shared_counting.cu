// Lanes count in shared memory again and again: what does a request take by which lanes meet, and how?
#include "problem.hpp"

namespace {
constexpr int threads = 1024;
constexpr int warps = threads / model::warp_size;
constexpr int rows = 8;  // of words, which the turns take one after the other
constexpr int words_of_row = 1024;

/// How a lane counts.
enum class Way : std::uint8_t {
  increment,  ///< an atomic that adds 1, as the compiler knows
  add,        ///< an atomic that adds what the compiler does not know
  byte        ///< a load and a store of a byte that belongs to a thread
};

// [kernel]
/// @param apart words from a lane's counter to the next lane's
/// @param one 1
template <Way way>
__global__ __launch_bounds__(threads, 1) void count_often(std::int64_t turns, int apart, std::uint32_t one,
                                                          std::uint32_t* counts) {
  __shared__ std::uint32_t table[rows][words_of_row];
  for (auto& row : table) row[threadIdx.x] = 0;
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / model::warp_size;
  const int column = static_cast<int>(threadIdx.x) % model::warp_size * apart;
  volatile auto* const byte = reinterpret_cast<std::uint8_t*>(&table[warp % rows][column]) + warp / rows;
  for (std::int64_t turn = 0; turn < turns; turn += rows) {
#pragma unroll
    for (auto& row : table) {  // NOLINT(misc-const-correctness): an atomic writes it
      if constexpr (way == Way::increment) atomicAdd(&row[column], 1U);
      if constexpr (way == Way::add) atomicAdd(&row[column], one);
      if constexpr (way == Way::byte) *byte = *byte + 1;
    }
  }
  __syncthreads();
  counts[threadIdx.x] = way == Way::byte ? *byte : table[warp % rows][column];
}
// [kernel]

auto kernel_of(Way way) {
  if (way == Way::increment) return count_often<Way::increment>;
  return way == Way::add ? count_often<Way::add> : count_often<Way::byte>;
}

Owned<Problem> make(std::int64_t turns, Way way, int apart) {
  auto problem = make_owned<ArrayProblem>();
  const std::int64_t in_word = turns / rows * warps * (apart == 0 ? model::warp_size : 1);
  auto& counts = problem->output<std::uint32_t>("counts", {threads}, [=](auto, auto) {
    return static_cast<std::uint32_t>(way == Way::byte ? turns % 256 : in_word);
  });
  problem->launches([=, &counts](cudaStream_t stream) {
    kernel_of(way)<<<1, threads, 0, stream>>>(turns, apart, 1, counts.data());
  });
  return problem;
}
}  // namespace

/// One multiprocessor is enough. The shape counts turns, whole rounds of rows. Left out are lanes that all
/// want the same byte.
void weft::register_steps() {
  for (const Setting& setting :
       Axes().with("way", {0, 1, 2}).with("apart", {1, 0, 2, 4, 8, 16, 32}).settings()) {
    const auto way = static_cast<Way>(setting.number("way"));
    const int apart = setting.number("apart");
    if (way == Way::byte && apart == 0) continue;
    Variant made("shared-counting", setting);
    made.curve = true;
    made.checked = {{8}, {264}};
    made.measured = {{8192}};
    made.counted = {{16}};
    made.l2 = L2::warm;
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0] * warps}; };
    made.make = [=](const Shape& shape) { return make(shape[0], way, apart); };
    add(std::move(made));
  }
}
