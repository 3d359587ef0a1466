// How much of the output the L2 is asked to keep, and whether it is overwritten between two launches: what a
// launch leaves in the L2, a later one writes.
#include "kept_output.hpp"
#include "step/step.hpp"

namespace {
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, int mebibytes) {
  kept_output::launch(stream, in, out, std::int64_t{mebibytes} << 20);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("mib", {32, 0, 16, 64}).with("overwritten", {1, 0}).settings()) {
    Variant made = transpose_variant("left-output", setting, launch);
    made.kind = Kind::experiment;
    made.checked = {{64, 64}, {132, 124}, {576, 576}};
    made.checked_large = {};
    made.measured = {{8192, 8192}, {16'384, 16'384}};
    if (setting.number("overwritten") == 0) made.l2 = L2::kept;
    add(std::move(made));
  }
}
