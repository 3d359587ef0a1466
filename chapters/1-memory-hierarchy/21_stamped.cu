// The clock is read before and after each load. A latency is the mean of such loads: how long does each of
// them take, and how much does reading the clock add?
#include <algorithm>

#include "ring.hpp"

namespace {
constexpr int loads = 4096;

__global__ void stamp(Link* walker, std::int64_t lead, std::int64_t* cycles) {
  __shared__ std::int64_t took[loads];
  auto at = walker->next;
  const auto next = [](unsigned long long link) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
    return __ldca(reinterpret_cast<const unsigned long long*>(link));
  };
#pragma unroll 4
  for (std::int64_t step = 0; step < lead; ++step) at = next(at);
// [stamp]
#pragma unroll 1
  for (std::int64_t& cycles_of_load : took) {
    const std::int64_t began = clock64();
    at = next(at);
    cycles_of_load = (at == 0 ? 0 : clock64()) - began;  // not before the load has come
  }
// [stamp]
#pragma unroll 1
  for (int load = 0; load < loads; ++load) cycles[load] = took[load];
  walker->next = at;
}

void launch(cudaStream_t stream, unsigned walkers, Link* at, Walk walk, std::int64_t* cycles) {
  stamp<<<walkers, 1, 0, stream>>>(at, walk.lead, cycles);
}

/// After a round, if that is not too long.
Walk stamped_after(const RingShape& ring) {
  constexpr std::int64_t long_round = std::int64_t{1} << 19;
  const std::int64_t lead = whole_rounds(ring).lead;
  return {ring.links <= long_round ? max(lead, ring.links + 1) : lead, loads};
}

model::Prediction predict(const Walk& walk) {
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  return model::Prediction{}
      .global_load(1 + walk.steps(), 8, one)
      .shared_store(loads, 8, one)
      .shared_load(loads, 8, one)
      .global_store(loads + 1, 8, one);
}

/// So many of a thousand loads take no longer.
Quantity quantile(const char* name, int of_thousand) {
  return {name, "cycles", Origin::clock, [=](Problem& problem) {
            Numbers cycles = dynamic_cast<WalkProblem&>(problem).cycles();
            const auto place = cycles.begin() + (ssize(cycles) - 1) * of_thousand / 1000;
            std::ranges::nth_element(cycles, place);
            return static_cast<double>(*place);
          }};
}

/// How many loads took up to 9 cycles, 10 to 19, and so on; what took longer than the last counts there.
Grid distribution(Problem& problem) {
  Numbers counts(200);
  for (const std::int64_t cycles : dynamic_cast<WalkProblem&>(problem).cycles()) {
    ++counts[min(static_cast<std::size_t>(cycles) / 10, counts.size() - 1)];
  }
  return {{ssize(counts)}, counts};
}
}  // namespace

void weft::register_steps() {
  constexpr std::int64_t kib = 1024;
  const auto ring = [](std::int64_t bytes) { return ring_over(bytes); };
  Variant made = walk_variant("stamped", Axes().settings().front(), ring, launch, stamped_after);
  made.measured = {{16 * kib}};
  for (const std::int64_t mib : {1, 16, 28, 32, 40, 52, 60, 1 << 10, 1 << 16})
    made.measured.push_back({mib * kib * kib});
  made.make = [=](const Shape& shape) {
    const RingShape lies = ring(shape[0]);
    return make_owned<WalkProblem>(lies, memory_for(lies), stamped_after(lies), launch, 1, loads);
  };
  made.quantities = {quantile("shortest", 0), quantile("percentile-5", 50), quantile("median", 500),
                     quantile("percentile-95", 950), quantile("longest", 1000)};
  made.series = {{"distribution", "1", {"ten-cycles"}, Origin::clock, distribution}};
  made.predict = [=](const Shape& shape) { return predict(stamped_after(ring(shape[0]))); };
  add(std::move(made));
}
