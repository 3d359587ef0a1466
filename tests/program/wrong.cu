// Programs of a step that are wrong, each in one way: the environment's WRONG says which. They copy a vector.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "check/arrays.hpp"
#include "check/racecheck.hpp"
#include "step/step.hpp"

namespace {

using namespace weft;

enum class Fault : std::uint8_t {
  none,
  result,
  element,
  before,
  after,
  input,
  stale,
  no_launch,
  launch_not_noted,
  failed_launch
};

__global__ void copy(float* in, float* out, std::int64_t count, Fault fault) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count || (fault == Fault::element && i == 3)) return;
  out[i] = fault == Fault::result ? 2 * in[i] : in[i];
  if (fault == Fault::before && i == 0) out[-1] = 0;
  if (fault == Fault::after && i == 0) out[count] = 0;
  if (fault == Fault::input) in[i] = 0;
}

class Copy final : public ArrayProblem {
 public:
  Copy(const Shape& shape, Fault fault)
      : fault_(fault),
        in_(input<float>("input", shape, hashed_float)),
        out_(output<float>("output", shape, hashed_float)) {}

  void launch(cudaStream_t stream) override {
    if (fault_ == Fault::no_launch) return;
    const auto count = static_cast<unsigned>(in_.size());
    if (fault_ == Fault::stale) {
      if (!first_) first_ = in_copy(stream);
      copy<<<count / 32, 32, 0, stream>>>(reinterpret_cast<float*>(first_->data()), out_.data(), count,
                                          fault_);
      return;
    }
    const unsigned block = fault_ == Fault::failed_launch ? 2048 : 32;
    copy<<<(count + block - 1) / block, block, 0, stream>>>(in_.data(), out_.data(), count, fault_);
    if (fault_ == Fault::launch_not_noted) launch_past_the_program(count, stream);
  }

 private:
  /// Once more, straight by the runtime: as through an entry point that the program does not know.
  void launch_past_the_program(std::int64_t count, cudaStream_t stream) {
    float* in = in_.data();
    float* out = out_.data();
    void* arguments[] = {static_cast<void*>(&in), static_cast<void*>(&out), &count, &fault_};
    using Launch = cudaError_t(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
    auto* const launch_kernel = reinterpret_cast<Launch*>(dlsym(RTLD_NEXT, "cudaLaunchKernel"));
    const auto* const kernel = reinterpret_cast<const void*>(&copy);
    cuda_check(launch_kernel(kernel, static_cast<unsigned>(count) / 32, 32, arguments, 0, stream));
  }

  [[nodiscard]] std::unique_ptr<DeviceMemory> in_copy(cudaStream_t stream) const {
    auto copied = std::make_unique<DeviceMemory>(in_.size() * sizeof(float));
    cuda_check(
        cudaMemcpyAsync(copied->data(), in_.data(), in_.size() * sizeof(float), cudaMemcpyDefault, stream));
    return copied;
  }

  Fault fault_;
  std::unique_ptr<DeviceMemory> first_;
  GuardedBuffer<float>& in_;
  GuardedBuffer<float>& out_;
};

Variant copying(Fault fault, std::int64_t predicted_width = 4) {
  Variant variant("copy", Axes().with("width", {1}).settings().front());
  variant.checked = {{64}};
  variant.measured = variant.counted = {{1024}};
  variant.make = [=](const Shape& shape) { return make_owned<Copy>(shape, fault); };
  variant.amounts = [](const Shape& shape) { return Amounts{.bytes = 8 * shape[0]}; };
  variant.predict = [=](const Shape& shape) {
    return model::Prediction{}
        .global_load(shape[0] / 32, static_cast<int>(predicted_width), [](int lane) { return lane; })
        .global_store(shape[0] / 32, 4, [](int lane) { return lane; });
  };
  return variant;
}

Variant with_width(std::int64_t width, bool is_default) {
  Variant variant = copying(Fault::none);
  variant.parameters = {{"width", {width}}};
  variant.is_default = is_default;
  return variant;
}

void add_unnamed() {
  Variant variant = copying(Fault::none);
  variant.step = "";
  add(std::move(variant));
}

void add_unmade() {
  Variant variant = copying(Fault::none);
  variant.make = nullptr;
  add(std::move(variant));
}

/// A copy that reports so many values on a grid of two by three.
void add_series(std::int64_t values) {
  Variant variant = copying(Fault::none);
  const auto grid = [=](Problem&) { return Grid{{2, 3}, range(1, values)}; };
  variant.series = {{"trace", "cycles", {"visit", "line"}, Origin::device, grid}};
  add(std::move(variant));
}

const std::map<std::string, void (*)()> programs{
    {"nothing wrong", [] { add(copying(Fault::none)); }},
    {"wrong result", [] { add(copying(Fault::result)); }},
    {"wrong result, beyond racecheck",
     [] {
       check_beyond_racecheck();
       add(copying(Fault::result));
     }},
    {"one element is left out", [] { add(copying(Fault::element)); }},
    {"guard before is written", [] { add(copying(Fault::before)); }},
    {"guard after is written", [] { add(copying(Fault::after)); }},
    {"output is stale", [] { add(copying(Fault::stale)); }},
    {"input is written", [] { add(copying(Fault::input)); }},
    {"a launch is not noted", [] { add(copying(Fault::launch_not_noted)); }},
    {"nothing is launched", [] { add(copying(Fault::no_launch)); }},
    {"the launch fails", [] { add(copying(Fault::failed_launch)); }},
    {"a series", [] { add_series(6); }},
    {"a value of a series is left out", [] { add_series(5); }},
    {"wrong prediction", [] { add(copying(Fault::none, 8)); }},
    {"nothing is registered", [] {}},
    {"no step, it says",
     [] {
       tests_alone();
       add(copying(Fault::none));
     }},
    {"no name", add_unnamed},
    {"cannot be made", add_unmade},
    {"measured twice",
     [] {
       Variant variant = copying(Fault::none);
       variant.measured = {{1024}, {2048}, {1024}};
       add(std::move(variant));
     }},
    {"counted twice",
     [] {
       Variant variant = copying(Fault::none);
       variant.counted = {{1024}, {1024}};
       add(std::move(variant));
     }},
    {"registered twice",
     [] {
       add(with_width(1, true));
       add(with_width(1, false));
     }},
    {"two defaults",
     [] {
       add(with_width(1, true));
       add(with_width(2, true));
     }},
    {"no default", [] { add(with_width(1, false)); }},
    {"two steps",
     [] {
       add(with_width(1, true));
       Variant other = with_width(1, true);
       other.step = "other";
       add(std::move(other));
     }},
};

}  // namespace

void weft::register_steps() { programs.at(std::getenv("WRONG"))(); }
