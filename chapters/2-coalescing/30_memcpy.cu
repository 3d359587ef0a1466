// The driver's own copy from device to device: one read and one write, where an add has two reads and one
// write.
#include "problem.hpp"

namespace {
// [launch]
void launch(cudaStream_t stream, Vectors v) {
  const std::size_t bytes = static_cast<std::size_t>(v.count) * sizeof(float);
  cuda_check(cudaMemcpyAsync(v.c, v.a, bytes, cudaMemcpyDeviceToDevice, stream));
}
// [launch]

// [step]
const Step step{"memcpy", launch, Kind::ceiling, Work::copy};
// [step]
}  // namespace
