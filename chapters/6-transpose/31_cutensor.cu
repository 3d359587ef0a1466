// cuTENSOR permutes the dimensions of tensors, and so transposes, with a kernel that it chooses or compiles.
#include <map>
#include <tuple>

#include "kernel/cutensor.hpp"
#include "problem.hpp"

namespace {
// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, int compiled) {
  static const Cutensor cutensor;
  static std::map<std::tuple<std::int64_t, std::int64_t, int>, Cutensor::Plan> plans;
  Cutensor::Plan& plan = plans[{in.rows, in.columns, compiled}];
  if (plan == nullptr) plan = cutensor.transpose(in.rows, in.columns, compiled != 0);
  cutensor.run(stream, plan, in.data, out.data);
}
// [launch]
}  // namespace

// [step]
void weft::register_steps() {
  add_transpose("cutensor", Axes().with("compiled", {0, 1}), launch, {}, Kind::peer);
}
// [step]
