// cudaMemcpy and the transpose vector-access, in both orders of its blocks: one launch, for which the L2 is
// overwritten, or many one after another, each of which finds in the L2 what the one before has left.
#include "moved_matrix.hpp"
#include "orders.hpp"
#include "step/step.hpp"

namespace {
using namespace weft::orders;

enum Moved : std::uint8_t { transposed_along_output, transposed_along_input, copied };

constexpr int many = 16;

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, Moved moved) {
  if (moved == copied) {
    copy_matrix(stream, in, out);
    return;
  }
  const auto launch_transpose =
      moved == transposed_along_input ? launch_fours<along_input> : launch_fours<along_output>;
  launch_transpose(stream, in, out);
}

Owned<Problem> problem(const Shape& shape, Moved moved, int launches) {
  return moved_matrix(shape, moved == copied,
                      [=](cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
                        for (int i = 0; i < launches; ++i) launch(stream, in, out, moved);
                      });
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("moved", {transposed_along_output, transposed_along_input, copied});
  for (const Setting& setting : axes.with("launches", {many, 1}).settings()) {
    const auto moved = static_cast<Moved>(setting.number("moved"));
    const int launches = setting.number("launches");
    Variant made("in-a-row", setting);
    // cudaMemcpy launches no kernel of ours.
    made.kind = moved == copied ? Kind::ceiling : Kind::experiment;
    made.checked = {{64, 64}, {132, 124}, {576, 576}};
    made.measured = {{8192, 8192}, {16'384, 16'384}};
    made.make = [=](const Shape& shape) { return problem(shape, moved, launches); };
    made.amounts = [=](const Shape& shape) {
      return Amounts{.bytes = 2 * std::int64_t{sizeof(float)} * shape[0] * shape[1] * launches};
    };
    if (launches > 1) made.l2 = L2::kept;
    if (moved != copied) {
      made.counted = {{256, 256}};
      // As much as one launch asks for where the matrix is so many times as high.
      made.predict = [=](const Shape& shape) { return fours::predict(launches * shape[0], shape[1]); };
    }
    add(std::move(made));
  }
}
