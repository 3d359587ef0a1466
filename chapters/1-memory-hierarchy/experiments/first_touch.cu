// Sixteen multiprocessors touch a part of a ring each, and then one thread walks through all parts, twice.
#include "ring.hpp"

namespace {
constexpr int parts = 16;

enum class Touch : std::uint8_t { none, read, write };

__device__ unsigned long long after(unsigned long long link) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
  return __ldcg(reinterpret_cast<const unsigned long long*>(link));
}

template <Touch touch>
__global__ void touch_part(const Link* begins, std::int64_t links) {
  auto at = begins[blockIdx.x].next;
#pragma unroll 1
  for (std::int64_t i = 0; i < links; ++i) {
    const auto next = after(at);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
    if (touch == Touch::write) __stcg(reinterpret_cast<unsigned long long*>(at), next);
    at = next;
  }
}

__global__ void walk_parts(Link* begins, std::int64_t links, std::int64_t* cycles) {
#pragma unroll 1
  for (int i = 0; i < 2 * parts; ++i) {
    auto at = begins[i % parts].next;
    const std::int64_t began = clock64();
#pragma unroll 4
    for (std::int64_t step = 0; step < links; ++step) at = after(at);
    cycles[i] = (at == 0 ? 0 : clock64()) - began;  // not before the last load has come
    if (i >= parts) begins[i % parts].next = at;
  }
}

template <Touch touch>
void launch(cudaStream_t stream, unsigned walkers, Link* at, Walk walk, std::int64_t* cycles) {
  if (touch != Touch::none) touch_part<touch><<<walkers, 1, 0, stream>>>(at, walk.timed);
  walk_parts<<<1, 1, 0, stream>>>(at, walk.timed, cycles);
}

Walk part_of(const RingShape& ring) { return {0, ring.links / parts}; }

model::Prediction predict(std::int64_t links, Touch touch) {
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  const std::int64_t of_touch = touch == Touch::none ? 0 : parts + links;
  return model::Prediction{}
      .global_load(of_touch + 2 * (parts + links), 8, one)
      .global_store((touch == Touch::write ? links : 0) + 3 * parts, 8, one);
}

/// The cycles of a load in the first walk through the part where they are fewest, or most, or in the second.
Quantity of_parts(const char* name, double (*choose)(const std::vector<std::int64_t>& cycles)) {
  return {name, "cycles", Origin::clock, [=](Problem& problem) {
            const auto& walked = dynamic_cast<WalkProblem&>(problem);
            return choose(walked.cycles()) / static_cast<double>(walked.walk().timed);
          }};
}

double least(const std::vector<std::int64_t>& cycles) {
  return static_cast<double>(*std::min_element(cycles.begin(), cycles.begin() + parts));
}
double most(const std::vector<std::int64_t>& cycles) {
  return static_cast<double>(*std::max_element(cycles.begin(), cycles.begin() + parts));
}
double again(const std::vector<std::int64_t>& cycles) {
  return static_cast<double>(*std::max_element(cycles.begin() + parts, cycles.end()));
}
}  // namespace

void weft::register_steps() {
  const auto ring = [](std::int64_t bytes) { return ring_over(bytes); };
  for (const Setting& setting : Axes().with("touch", {1, 2, 0}).settings()) {
    const auto touch = static_cast<Touch>(setting.number("touch"));
    const auto how = touch == Touch::none   ? launch<Touch::none>
                     : touch == Touch::read ? launch<Touch::read>
                                            : launch<Touch::write>;
    Variant made = walk_variant("first-touch", setting, ring, how, part_of);
    made.kind = Kind::experiment;
    made.curve = false;
    made.counted.clear();  // what nobody uses of a walk's last load, the compiler may leave out
    made.l2 = L2::cold;
    made.checked = {{1 << 12}, {1 << 16}};
    made.measured = {{4 << 20}};
    made.make = [=](const Shape& shape) {
      const RingShape lies = ring(shape[0]);
      return std::make_unique<WalkProblem>(lies, memory_for(lies), part_of(lies), how, parts, 2);
    };
    made.amounts = [=](const Shape& shape) { return Amounts{.accesses = 2 * ring(shape[0]).links}; };
    made.quantities = {of_parts("nearest", least), of_parts("farthest", most), of_parts("again", again)};
    made.predict = [=](const Shape& shape) { return predict(ring(shape[0]).links, touch); };
    add(std::move(made));
  }
}
