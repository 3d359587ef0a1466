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
}  // namespace

// [step]
void weft::register_steps() {
  add_vectors("memcpy", {}, launch, {}, {.kind = Kind::ceiling, .work = Work::copy});
}
// [step]
