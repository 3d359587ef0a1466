#pragma once

/// @file
/// What this program launches: its kernels by name, and each launch while somebody listens. It works the same
/// on a GPU, under the recorder and under an emulator, because the program itself defines the runtime's entry
/// points for registering and launching, notes each call and passes it on; see program/entry_points.cpp.

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/// One launch of a kernel.
struct Launched {
  std::string kernel;  ///< mangled name, as the PTX has it
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  std::int64_t dynamic_shared = 0;        ///< bytes
  std::array<std::int64_t, 3> cluster{};  ///< all 0: launched without a cluster's extents
};

/// Notes the launches that happen during its lifetime; one at a time.
class LaunchListener {
 public:
  LaunchListener();
  LaunchListener(const LaunchListener&) = delete;
  LaunchListener& operator=(const LaunchListener&) = delete;
  ~LaunchListener();

  [[nodiscard]] const std::vector<Launched>& launches() const { return launches_; }

 private:
  std::vector<Launched> launches_;
};

/// Notes that a kernel is registered under its mangled name.
/// @param function the host's handle of the kernel
void note_kernel(const void* function, const char* name);

/// Notes that the runtime calls a kernel by another handle than the host.
void note_handle(const void* handle, const void* function);

/// Notes a launch, if somebody listens.
/// @param function either handle of the kernel
void note_launch(const void* function, dim3 grid, dim3 block, std::size_t dynamic_shared,
                 dim3 cluster = {0, 0, 0});

/// The host's handles of this program's kernels, as the runtime's calls want them.
std::vector<const void*> kernel_handles();

}  // namespace weft
