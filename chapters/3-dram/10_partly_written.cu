// The first bytes of every sector are written, or whole sectors that lie apart: what do the bytes cost that
// are left out?
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include "check/arrays.hpp"
#include "large_memory.hpp"
#include "model/access.hpp"
#include "step/axes.hpp"
#include "step/step.hpp"

using namespace weft;

namespace {
constexpr dim3 block{256};
constexpr std::int64_t words_of_sector = model::sector_bytes / 4;

// [kernel]
/// A thread writes a word of four bytes; 1 << log_written neighbouring threads write to one sector.
/// @param log_written of the words that are written in a sector
/// @param apart sectors from one that is written to the next
__global__ void write_parts(std::uint32_t* __restrict__ words, int log_written, std::int64_t apart,
                            std::int64_t count) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * block.x + threadIdx.x;
  if (thread >= count) return;
  const std::int64_t sector = thread >> log_written;
  const std::int64_t word = sector * apart * words_of_sector + (thread & ((1 << log_written) - 1));
  words[word] = static_cast<std::uint32_t>(word);
}
// [kernel]

Owned<Problem> make(std::int64_t mebibytes, int log_written, std::int64_t apart) {
  const std::int64_t words = mebibytes * mebibyte / 4;
  const std::int64_t sectors = words / words_of_sector / apart;
  const std::int64_t count = sectors << log_written;
  auto problem = make_owned<ArrayProblem>();
  auto& out = problem->output<std::uint32_t>("words", {words}, [=](auto, std::int64_t index) {
    const std::int64_t sector = index / words_of_sector;
    const bool written = sector % apart == 0 && index % words_of_sector < 1 << log_written;
    return written ? static_cast<std::uint32_t>(index) : poison<std::uint32_t>();
  });
  problem->launches([=, &out](cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((count + block.x - 1) / block.x);
    write_parts<<<blocks, block, 0, stream>>>(out.data(), log_written, apart, count);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("bytes", {32, 16, 8, 4}).with("apart", {1, 2, 4});
  for (const Setting& setting : axes.settings()) {
    const std::int64_t written = setting.number("bytes") / 4;
    const std::int64_t apart = setting.number("apart");
    int log_written = 0;
    while (1 << log_written < written) ++log_written;
    Variant made("partly-written", setting);
    made.curve = true;
    made.checked = {{1}, {3}};
    made.measured = {{1024}};
    made.counted = {{1}};
    const auto sectors = [=](const Shape& shape) {
      return shape[0] * mebibyte / model::sector_bytes / apart;
    };
    made.rated_by = Rating::elements;  // a sector that is written
    made.make = [=](const Shape& shape) { return make(shape[0], log_written, apart); };
    made.amounts = [=](const Shape& shape) { return Amounts{.elements = sectors(shape)}; };
    made.predict = [=](const Shape& shape) {
      return model::Prediction{}.global_store(sectors(shape) * written / model::warp_size, 4, [=](int lane) {
        return (lane >> log_written) * apart * words_of_sector + (lane & (written - 1));
      });
    };
    made.quantities = {{"dram__bytes_read.sum", "byte", Origin::profiler, {}},
                       {"dram__bytes_write.sum", "byte", Origin::profiler, {}}};
    add(std::move(made));
  }
}
