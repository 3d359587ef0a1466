#include "ring.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <numeric>

#include "check/compare.hpp"
#include "device/device.hpp"
#include "device/parallel.hpp"
#include "link_text.hpp"
#include "step/mismatch.hpp"

namespace weft {

RingShape ring_over(std::int64_t bytes, std::int64_t stride) {
  const std::int64_t links = std::clamp<std::int64_t>(bytes / stride, 1, most_links);
  const std::int64_t lines = std::max<std::int64_t>(bytes / links / model::line_bytes, 1);  // to a link
  return {links, lines * model::line_bytes};
}
namespace {

/// Overwrites what the L2 holds.
void overwrite_l2() {
  constexpr std::size_t bytes = std::size_t{256} << 20;
  const DeviceMemory other(bytes);
  cuda_check(cudaMemsetAsync(other.data(), 0, bytes, nullptr));
  cuda_check(cudaStreamSynchronize(nullptr));
}

}  // namespace

DeviceMemory memory_for(const RingShape& ring) {
  return DeviceMemory(static_cast<std::size_t>(ring.links * ring.pitch));
}

WalkProblem::WalkProblem(const RingShape& shape, DeviceMemory memory, const Walk& walk, Launch launch,
                         std::int64_t walkers, std::int64_t readings)
    : shape_(shape),
      permutation_(shape.links),
      memory_(std::move(memory)),
      begin_(memory_.data()),
      walk_(walk),
      launch_(launch),
      at_(walkers),
      cycles_(walkers * readings) {}

std::int64_t WalkProblem::place(std::int64_t number) const {
  number %= shape_.links;
  return shape_.shuffled ? permutation_(number) : number;
}

Link WalkProblem::link_to(std::int64_t number) const {
  return {reinterpret_cast<unsigned long long>(begin_ + place(number) * shape_.pitch)};
}

Link WalkProblem::after(std::int64_t walker, std::int64_t steps) const {
  return link_to(start_ + walker * shape_.links / at_.size() + steps);
}

void WalkProblem::fill(std::uint64_t seed) {
  List<Link> links(static_cast<std::size_t>(shape_.links));
  for_each_range(0, shape_.links, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) links[static_cast<std::size_t>(place(i))] = link_to(i + 1);
  });
  cuda_check(cudaMemcpy2D(begin_, static_cast<std::size_t>(shape_.pitch), links.data(), sizeof(Link),
                          sizeof(Link), links.size(), cudaMemcpyHostToDevice));
  if (shape_.links == most_links) overwrite_l2();  // the links that were copied last
  start_ = static_cast<std::int64_t>(seed);
  walked_ = 0;
  at_.fill([&](std::int64_t walker) { return after(walker, 0); });
}

void WalkProblem::launch(cudaStream_t stream) {
  walked_ += walk_.steps();
  launch_(stream, static_cast<unsigned>(at_.size()), at_.data(), walk_, cycles_.data());
}

Verdict WalkProblem::verify() {
  const auto where = [&](std::int64_t steps) {
    return [this, steps](std::int64_t walker) { return after(walker, steps); };
  };
  if (auto lost = compare(at_, {"at", {at_.size()}}, where(walked_), where(walked_ - walk_.steps())))
    return lost;
  List<Link> links(static_cast<std::size_t>(shape_.links));
  cuda_check(cudaMemcpy2D(links.data(), sizeof(Link), begin_, static_cast<std::size_t>(shape_.pitch),
                          sizeof(Link), links.size(), cudaMemcpyDeviceToHost));
  List<bool> met(links.size());
  for (std::int64_t number = 0; number < shape_.links; ++number) {
    const auto at = static_cast<std::size_t>(place(number));
    const Link expected = link_to(number + 1);
    const char* const fault = links[at].next != expected.next ? "the ring was changed"
                              : met[at]                       ? "the ring meets this link twice"
                                                              : nullptr;
    if (fault != nullptr) {
      return Mismatch{"ring", {place(number)}, value_text(expected), value_text(links[at]), fault};
    }
    met[at] = true;
  }
  return {};
}

Numbers WalkProblem::cycles() const {
  Numbers written(static_cast<std::size_t>(cycles_.size()));
  cycles_.copy_out(0, cycles_.size(), written.data());
  return written;
}

double WalkProblem::cycles_of_load() const {
  const Numbers all = cycles();
  const double sum = std::accumulate(all.begin(), all.end(), 0.);
  return sum / static_cast<double>(at_.size() * walk_.timed);
}

Variant walk_variant(const char* name, const Setting& setting, const RingOf& ring, WalkProblem::Launch launch,
                     WalkOf walk, Walkers walkers) {
  // Asked only when it runs: without a GPU a program still tells what it is.
  const auto count = [=] { return walkers == Walkers::all ? std::int64_t{multiprocessors()} : 1; };
  const auto steps = [=](const Shape& shape) { return walk(ring(shape[0])).steps(); };
  Variant made(name, setting);
  made.checked = {{128}, {256}, {4224}, {64 << 10}, {1 << 20}};
  made.counted = {{4096}};
  made.curve = true;
  made.rated_by = Rating::accesses;
  made.amounts = [=](const Shape& shape) { return Amounts{.accesses = steps(shape)}; };
  made.l2 = L2::kept;
  made.make = [=](const Shape& shape) {
    const RingShape lies = ring(shape[0]);
    return make_owned<WalkProblem>(lies, memory_for(lies), walk(lies), launch, count());
  };
  made.quantities = {{"latency", "cycles", Origin::clock,
                      [](Problem& problem) { return dynamic_cast<WalkProblem&>(problem).cycles_of_load(); }}};
  made.predict = [=](const Shape& shape) {
    const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
    return model::Prediction{}
        .global_load(count() * (1 + steps(shape)), 8, one)
        .global_store(count() * 2, 8, one);
  };
  return made;
}

}  // namespace weft
