// All blocks read the shared memory of a block of their cluster at a time: what do clusters move?
#include "cluster.hpp"

namespace {
constexpr int threads = 1024;
constexpr int blocks_of_each = 16;  // for each multiprocessor, one after the other
constexpr int bytes_of_load = threads * 16;

/// Each thread's element tells it that it shall load the same again.
/// @param further by how many ranks the block lies whose shared memory is read
__global__ __launch_bounds__(threads) void read_cluster(std::uint32_t* last, std::int64_t loads,
                                                        unsigned size, unsigned further) {
  __shared__ uint4 table[threads];
  table[threadIdx.x] = {threadIdx.x, 0, 0, 0};
  wait_for_cluster();
  const uint4* const there = in_block(table, (rank_in_cluster() + further) % size);
  std::uint32_t place = threadIdx.x;
#pragma unroll 8
  for (std::int64_t load = 0; load < loads; ++load) {
    const uint4 found = there[place];
    place = found.x + found.y + found.z + found.w;  // of which three are zero
  }
  last[std::int64_t{blockIdx.x} * threads + threadIdx.x] = place;
  wait_for_cluster();  // a block that has ended has no shared memory
}

std::int64_t blocks() { return std::int64_t{multiprocessors()} * blocks_of_each; }

Owned<Problem> make(std::int64_t loads, unsigned size, unsigned further) {
  auto problem = make_owned<ArrayProblem>();
  auto& last = problem->output<std::uint32_t>("last", {blocks() * threads}, [](auto, std::int64_t thread) {
    return static_cast<std::uint32_t>(thread % threads);
  });
  problem->launches([=, &last](cudaStream_t stream) {
    launch_clusters(stream, read_cluster, static_cast<int>(blocks()), size, threads, last.data(), loads, size,
                    further);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("size", {8, 4, 2}).with("further", {1, 0}).settings()) {
    const auto size = static_cast<unsigned>(setting.number("size"));
    const auto further = static_cast<unsigned>(setting.number("further"));
    Variant made("cluster-read", setting);
    made.kind = Kind::experiment;
    made.checked = {{0}, {8}};
    made.measured = {{512}};
    made.amounts = [](const Shape& shape) { return Amounts{.bytes = shape[0] * blocks() * bytes_of_load}; };
    made.make = [=](const Shape& shape) { return make(shape[0], size, further); };
    add(std::move(made));
  }
}
