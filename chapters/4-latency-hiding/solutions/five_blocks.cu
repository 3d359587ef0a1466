// Five blocks fit by their registers; the shared memory that each of them may use is a fifth of all, less
// what the system takes.
//
// Exercise: Blocks of 256 threads have 48 registers a thread. How many does a multiprocessor hold, and how
// many bytes of shared memory may each use, so that as many still fit?
#include "model/occupancy.hpp"

#include "problem.hpp"

namespace {
// [solution]
constexpr model::DeviceLimits hopper = model::device_limits(9, 0);

constexpr int blocks_with(std::int64_t shared_bytes) {
  return model::occupancy(hopper, {.threads = 256, .registers = 48, .dynamic_shared = shared_bytes}).blocks;
}

static_assert(blocks_with(0) == 5);
static_assert(blocks_with(45'568) == 5);
static_assert(blocks_with(45'569) == 4);
// [solution]
}  // namespace

void weft::register_steps() { tests_alone(); }

TEST_CASE("228 KiB, a fifth of them in steps of 128 bytes, less 1 KiB") {
  constexpr std::int64_t fifth =
      hopper.shared_memory / 5 / hopper.shared_granularity * hopper.shared_granularity;
  CHECK(fifth - hopper.shared_reserved == 45'568);
}
