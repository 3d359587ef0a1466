// CUB's sum, which tunes itself to the card. It is the best known sum, so we try to beat it.
#include <dlfcn.h>

#include "cub_kernels.hpp"
#include "sum.hpp"

namespace {
using cub_kernels::DeviceReduce;

/// Null where CUB's kernels were not built.
DeviceReduce* device_reduce() {
  static void* const library = dlopen(cub_kernels::library, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<DeviceReduce*>(dlsym(library, "weft_device_reduce"));
}

std::size_t workspace_bytes(std::int64_t count) {
  std::size_t bytes = 0;
  if (DeviceReduce* const reduce = device_reduce()) {
    cuda_check(reduce(nullptr, &bytes, nullptr, nullptr, count, nullptr));
  }
  return bytes;
}

// [launch]
void launch(cudaStream_t stream, const Sum& sum) {
  DeviceReduce* const reduce = device_reduce();
  if (reduce == nullptr) unavailable("this needs CUB's kernels, which `make reproduce` builds");
  std::size_t bytes = workspace_bytes(sum.count);
  cuda_check(reduce(sum.workspace, &bytes, sum.in, sum.sum, sum.count, stream));
}
// [launch]

/// CUB does not say in which order it adds: that at least so many threads take part is supposed.
std::int64_t additions(std::int64_t count) {
  constexpr std::int64_t threads_of_cub = 1 << 15;
  return blocks_over(count, threads_of_cub) + 64;
}
}  // namespace

void weft::register_steps() {
  const auto words = [](std::int64_t count) {
    return static_cast<std::int64_t>(workspace_bytes(count) / sizeof(std::uint32_t) + 1);
  };
  Variant made = sum_of_floats("device-reduce", {},
                               {.launch = launch, .additions = additions, .predict = {}, .workspace = words});
  made.kind = Kind::peer;
  made.measured.clear();
  for (const std::int64_t size : sizes_of_sums) made.measured.push_back({size});
  add(std::move(made));
}
