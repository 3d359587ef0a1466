// Two rings at once: a load waits for the load before it in its own ring, and not for one of the other ring.
//
// Exercise: One thread follows two rings through lines that the L1 keeps. How long do n loads in each of them
// take?
#include <memory>

#include "check/counted.hpp"
#include "latency.hpp"

namespace {
constexpr std::int64_t rings = 2;
constexpr std::int64_t links = 32 * links_of_line;  // of 32 lines, of which the rings have every other one

// [kernel]
__global__ void walk_two(const Link* first, Link* ends, std::int64_t steps) {
  auto one = reinterpret_cast<unsigned long long>(first);
  auto other = reinterpret_cast<unsigned long long>(first + links_of_line);
#pragma unroll 4
  for (std::int64_t step = 0; step < steps; ++step) {
    // NOLINTBEGIN(performance-no-int-to-ptr): a link is an address
    one = __ldca(reinterpret_cast<const unsigned long long*>(one));
    other = __ldca(reinterpret_cast<const unsigned long long*>(other));
    // NOLINTEND(performance-no-int-to-ptr)
  }
  ends[0].next = one;
  ends[1].next = other;
}
// [kernel]

Owned<Problem> make(std::int64_t steps) {
  auto problem = make_owned<ArrayProblem>();
  const auto base = std::make_shared<unsigned long long>();
  const auto link = [=](std::int64_t index) {
    return Link{*base + static_cast<unsigned long long>(index % links) * sizeof(Link)};
  };
  auto& ring = problem->input<Link>(
      "rings", {links}, [=](auto, std::int64_t index) { return link(index + rings * links_of_line); });
  *base = reinterpret_cast<unsigned long long>(ring.data());
  auto& ends = problem->output<Link>("ends", {rings}, [=](auto, std::int64_t number) {
    return link((number + steps * rings) * links_of_line);
  });
  problem->launches([=, &ring, &ends](cudaStream_t stream) {
    walk_two<<<1, 1, 0, stream>>>(ring.data(), ends.data(), steps);
  });
  return problem;
}

model::Prediction predict(std::int64_t steps) {
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  return model::Prediction{}.global_load(rings * steps, 8, one).global_store(rings, 8, one);
}
}  // namespace

void weft::register_steps() {
  Variant made = roof("two-rings", std::int64_t{1} << 18, 256);
  made.kind = Kind::step;
  made.rated_by = Rating::accesses;
  made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0]}; };
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}

TEST_CASE("twice the loads of one ring, as the emulator counts them") {
  with_counts({256}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_requests] == 512);
    CHECK(counted[model::Metric::global_load_sectors] == 512);
  });
}
