// The fewest warps that keep the data stage of the L1 busy, each with one request on its way.
//
// Exercise: Each warp asks for 512 bytes that the L1 holds, and waits for them. How many warps must a
// multiprocessor have, so that its L1 gives 128 bytes in each cycle?
#include "check/counted.hpp"
#include "wavefronts.hpp"

namespace {
const Numbers warps_tried{8, 1, 2, 4, 12, 16, 32};

// [kernel]
__global__ void go_round(const uint4* next, std::uint32_t* last, std::int64_t loads) {
  std::uint32_t place = threadIdx.x % 32;
#pragma unroll 8
  for (std::int64_t load = 0; load < loads; ++load) {
    const uint4 found = __ldca(next + place);
    place = found.x + found.y + found.z + found.w;  // of which three are zero
  }
  last[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = place;
}
// [kernel]

// [warps]
/// The fewest warps that keep the data stage busy, if each has one request on its way.
constexpr int least_warps(int cycles_of_request, int wavefronts_of_request) {
  return (cycles_of_request + wavefronts_of_request - 1) / wavefronts_of_request;
}
// [warps]

std::int64_t threads_of(int warps) { return std::int64_t{multiprocessors()} * warps * model::warp_size; }

Owned<Problem> make(std::int64_t loads, int warps) {
  auto problem = make_owned<ArrayProblem>();
  auto& next = problem->input<std::uint32_t>(
      "next", {std::int64_t{4} * model::warp_size},
      [](auto, std::int64_t word) { return static_cast<std::uint32_t>(word % 4 == 0 ? word / 4 : 0); });
  auto& last = problem->output<std::uint32_t>("last", {threads_of(warps)}, [](auto, std::int64_t thread) {
    return static_cast<std::uint32_t>(thread % model::warp_size);
  });
  problem->launches([=, &next, &last](cudaStream_t stream) {
    go_round<<<static_cast<unsigned>(multiprocessors()), warps * model::warp_size, 0, stream>>>(
        reinterpret_cast<const uint4*>(next.data()), last.data(), loads);
  });
  return problem;
}

model::Prediction predict(std::int64_t loads, int warps) {
  const std::int64_t all = threads_of(warps) / model::warp_size;
  const auto own = [](int lane) { return lane; };
  return model::Prediction{}.global_load(all * loads, 16, own).global_store(all, 4, own);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("warps", warps_tried).settings()) {
    const int warps = setting.number("warps");
    Variant made("few-warps", setting);
    made.checked = {{0}, {counted_loads}};
    made.measured = {{measured_loads}};
    made.counted = {{counted_loads}};
    made.rated_by = Rating::accesses;  // wavefronts of a multiprocessor
    made.amounts = [=](const Shape& shape) {
      return Amounts{.accesses = std::int64_t{4} * warps * shape[0]};
    };
    made.make = [=](const Shape& shape) { return make(shape[0], warps); };
    made.predict = [=](const Shape& shape) { return predict(shape[0], warps); };
    add(std::move(made));
  }
}

TEST_CASE("a request of 512 bytes takes four wavefronts, and eight warps fill 32 cycles") {
  constexpr int wavefronts = model::data_wavefronts(model::Lanes(16, [](int lane) { return lane; }));
  CHECK(wavefronts == 4);
  CHECK(least_warps(32, wavefronts) == 8);
}

TEST_CASE("the emulator counts what is predicted, however many warps there are") {
  for (const std::int64_t warps : warps_tried) {
    with_counts({counted_loads},
                [&](const model::Metrics& counted) {
                  const model::Metrics predicted = predict(counted_loads, static_cast<int>(warps));
                  for (const auto& [metric, value] : predicted) CHECK(counted[metric] == value);
                },
                {{"warps", {warps}}});
  }
}
