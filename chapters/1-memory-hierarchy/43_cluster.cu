// A warp follows a ring in the shared memory of another block of its cluster: distributed shared memory.
#include "cluster.hpp"

namespace {
constexpr unsigned cluster_size = 8;  // the most that every card with clusters has
constexpr int links = model::warp_size;

// [kernel]
/// @param rank of the block in whose shared memory the first block goes round
__global__ void walk(std::uint32_t* end, std::int64_t steps, unsigned rank) {
  __shared__ std::uint64_t ring[links];  // each link is the address of the next
  ring[threadIdx.x] =
      reinterpret_cast<std::uint64_t>(in_block(&ring[(threadIdx.x + 1) % links], rank_in_cluster()));
  wait_for_cluster();
  if (rank_in_cluster() == 0) {
    const auto first = reinterpret_cast<std::uint64_t>(in_block(ring, rank));
    std::uint64_t at = first;
#pragma unroll 4
    for (std::int64_t step = 0; step < steps; ++step) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
      at = *reinterpret_cast<const std::uint64_t*>(at);
    }
    if (threadIdx.x == 0) *end = static_cast<std::uint32_t>((at - first) / sizeof(at));
  }
  wait_for_cluster();  // a block that has ended has no shared memory
}
// [kernel]

Owned<Problem> make(std::int64_t steps, unsigned rank) {
  auto problem = make_owned<ArrayProblem>();
  auto& end = problem->output<std::uint32_t>(
      "end", {1}, [=](auto, auto) { return static_cast<std::uint32_t>(steps % links); });
  problem->launches([=, &end](cudaStream_t stream) {
    launch_clusters(stream, walk, cluster_size, cluster_size, links, end.data(), steps, rank);
  });
  return problem;
}
}  // namespace

/// The emulator takes loads of another block's shared memory for loads of shared memory, and Nsight Compute
/// does not: nothing of it is counted.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("rank", {1, 0, 2, 3, 4, 5, 6, 7}).settings()) {
    const auto rank = static_cast<unsigned>(setting.number());
    Variant made("cluster", setting);
    made.checked = {{0}, {256}};
    made.measured = {{std::int64_t{1} << 16}};
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0]}; };
    made.make = [=](const Shape& shape) { return make(shape[0], rank); };
    add(std::move(made));
  }
}
