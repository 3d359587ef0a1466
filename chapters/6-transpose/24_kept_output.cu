// What is written last stays in the L2: the hints of the loads change over to the stores.
#include "kept_output.hpp"

namespace {
// [kept]
constexpr std::int64_t kept_bytes = std::int64_t{32} << 20;

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  kept_output::launch(stream, in, out, kept_bytes);
}
// [kept]
}  // namespace

void weft::register_steps() {
  add_transpose("kept-output", kept_output::block, launch, kept_output::predict);
}

TEST_CASE("the last rows of the output are kept, as many as have so many bytes, or all that there are") {
  using kept_output::first_kept;
  CHECK(first_kept(16'384, 16'384, kept_bytes) == 16'384 - 512);
  CHECK(first_kept(8192, 4096, kept_bytes) == 4096 - 1024);
  CHECK(first_kept(1024, 1024, kept_bytes) == 0);
  CHECK(first_kept(8192, 8192, 0) == 8192);
}

TEST_CASE("hints change no request") {
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    const std::uint64_t fours = 1024 * 1024 / 4 / model::warp_size;
    CHECK(counted[model::Metric::global_load_requests] == fours);
    CHECK(counted[model::Metric::global_store_requests] == fours);
    CHECK(counted[model::Metric::global_store_sectors] * model::sector_bytes == 4 * 1024 * 1024);
  });
}
