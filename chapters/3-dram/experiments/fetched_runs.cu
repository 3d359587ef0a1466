// Runs of one sector and of two in random order, while the L2 fetches 64 bytes at a time, 32 or 128: do the
// bytes that are fetched at a place decide what it costs?
#include "gather.hpp"
#include "random_runs.hpp"

namespace {
/// What the L2 fetches at a time, as long as this lives.
class FetchGranularity {
 public:
  explicit FetchGranularity(std::size_t bytes) {
    cuda_check(cudaDeviceGetLimit(&before_, cudaLimitMaxL2FetchGranularity));
    cuda_check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes));
  }
  FetchGranularity(const FetchGranularity&) = delete;
  FetchGranularity& operator=(const FetchGranularity&) = delete;
  ~FetchGranularity() { static_cast<void>(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, before_)); }

 private:
  std::size_t before_ = 0;
};

/// The granularity is set before there is memory, and until it is gone.
class FetchedRuns final : FetchGranularity, public Gathering<RandomRuns> {
 public:
  FetchedRuns(std::size_t granularity, std::int64_t bytes, std::int64_t asked, std::int64_t run)
      : FetchGranularity(granularity), Gathering(bytes, asked, RandomRuns(bytes, run)) {}
};
}  // namespace

void weft::register_steps() {
  for (const Setting& setting :
       Axes().with("bytes", {32, 64}).with("granularity", {64, 32, 128}).settings()) {
    const std::int64_t run = setting.number("bytes");
    const auto granularity = static_cast<std::size_t>(setting.number("granularity"));
    const auto asked = [](const Shape& shape) { return shape[1] * mebibyte; };
    Variant made = gathering(
        "fetched-runs", setting, [=](std::int64_t bytes) { return RandomRuns(bytes, run); }, asked,
        [](int lane) { return lane; });
    made.kind = Kind::experiment;
    made.measured = {{8192, 1024}};
    made.make = [=](const Shape& shape) {
      return make_owned<FetchedRuns>(granularity, shape[0] * mebibyte, asked(shape), run);
    };
    made.quantities = {{"dram__bytes_read.sum", "byte", Origin::profiler, {}}};
    add(std::move(made));
  }
}
