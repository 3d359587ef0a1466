/// @file
/// Entry points that launch kernels, and that tell about them.

#include <cuda_runtime_api.h>

#include <cstring>
#include <iostream>
#include <mutex>
#include <vector>

#include "emulator/execute/fault.hpp"
#include "emulator/execute/launch.hpp"
#include "emulator/names.hpp"
#include "emulator/report/record.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/log.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/output.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared;
  cudaStream_t stream;
};

thread_local std::vector<Configuration> configurations;

Extents extents(dim3 d) { return {d.x, d.y, d.z}; }

cudaError_t refuse_shape(const Kernel& kernel, const Extents& grid, const Extents& block,
                         std::size_t shared) {
  constexpr std::uint32_t most_blocks_in_y = 65'535;
  const bool empty = grid.count() == 0 || block.count() == 0;
  if (empty || grid.x > 0x7fffffff || grid.y > most_blocks_in_y || grid.z > most_blocks_in_y) {
    return cudaErrorInvalidConfiguration;
  }
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || block.count() > 1024)
    return cudaErrorInvalidConfiguration;
  if (kernel.routine->most_threads != 0 &&
      block.count() > static_cast<std::uint64_t>(kernel.routine->most_threads)) {
    return cudaErrorInvalidValue;
  }
  if (kernel.routine->shared_bytes + shared > static_cast<std::size_t>(card().limits().shared_per_block))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

/// The arguments, one behind the other, as the kernel's PTX declares them.
std::vector<std::byte> packed(const Routine& kernel, void* const* arguments) {
  std::vector<std::byte> bytes(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameter_places.size(); ++i) {
    const ParameterPlace& place = kernel.parameter_places[i];
    std::memcpy(bytes.data() + place.offset, arguments[i], place.bytes);
  }
  return bytes;
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   bool cooperative = false, dim3 cluster = {1, 1, 1}) {
  static std::recursive_mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  return guarded(
      [&] {
        const Kernel kernel = find_kernel(function);
        if (kernel.routine == nullptr) return cudaErrorInvalidDeviceFunction;
        const cudaError_t refused = refuse_shape(kernel, extents(grid), extents(block), shared);
        if (refused != cudaSuccess) return refused;
        if (cluster.x * cluster.y * cluster.z != 1) {
          say(readable_name(kernel.routine->name) + ": clusters of more than one block are not known here");
          return cudaErrorNotSupported;
        }
        const std::vector<std::byte> parameters = packed(*kernel.routine, arguments);
        std::memcpy(kernel.program->parameter_bank(), parameters.data(), parameters.size());
        std::string printed;
        flush_output();
        const Launch launched{kernel.routine,
                              extents(grid),
                              extents(block),
                              extents(cluster),
                              static_cast<std::uint32_t>(shared),
                              parameters,
                              cooperative,
                              &printed};
        try {
          const std::vector<SiteCount> counts = run(launched, kernel.program->sites());
          log_launch(make_record(launched, kernel.program->sites(), counts));
        } catch (const AssertionFailure& failure) {
          std::cerr << failure.what() << '\n';  // in CUDA's words, without ours
          set_sticky(cudaErrorAssert);
        } catch (const Fault& fault) {
          say(fault.what());
          log_fault();
          set_sticky(cudaErrorLaunchFailure);
        }
        keep_output(printed);
        return cudaSuccess;  // a launch does not wait: if it failed, the next call learns of it
      },
      cudaErrorInvalidKernelImage);
}

}  // namespace
}  // namespace weft::emulator

using weft::emulator::configurations;
using weft::emulator::find_kernel;
using weft::emulator::guarded;
using weft::emulator::launch;

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return weft::emulator::note(cudaErrorMissingConfiguration);
  const auto& top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  configurations.pop_back();
  return cudaSuccess;
}

/// A kernel's handle is its stub's address.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t /*stream*/) {
  return launch(kernel, grid, block, arguments, shared);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t /*stream*/) {
  return launch(function, grid, block, arguments, shared);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t /*stream*/) {
  return launch(function, grid, block, arguments, shared, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  bool cooperative = false;
  dim3 cluster{1, 1, 1};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
    }
  }
  return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, cooperative,
                cluster);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return guarded(
      [&] {
        const auto kernel = find_kernel(function);
        if (kernel.routine == nullptr) return cudaErrorInvalidDeviceFunction;
        *attributes = {};
        attributes->sharedSizeBytes = kernel.routine->shared_bytes;
        attributes->localSizeBytes = kernel.routine->local_bytes;
        attributes->maxThreadsPerBlock =
            kernel.routine->most_threads != 0 ? kernel.routine->most_threads : 1024;
        attributes->ptxVersion = weft::emulator::architecture();
        attributes->binaryVersion = weft::emulator::architecture();
        attributes->maxDynamicSharedSizeBytes =
            static_cast<int>(weft::emulator::card().limits().shared_per_block - kernel.routine->shared_bytes);
        return cudaSuccess;
      },
      cudaErrorInvalidKernelImage);
}

cudaError_t cudaFuncSetAttribute(const void* /*function*/, cudaFuncAttribute /*attribute*/, int /*value*/) {
  return weft::emulator::note(cudaSuccess);
}

cudaError_t cudaFuncSetCacheConfig(const void* /*function*/, cudaFuncCache /*config*/) {
  return weft::emulator::note(cudaSuccess);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
