/// @file
/// Entry points that launch kernels.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "emulator/execute/fault.hpp"
#include "emulator/execute/launch.hpp"
#include "emulator/names.hpp"
#include "emulator/report/record.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/functions.hpp"
#include "emulator/runtime/log.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/output.hpp"
#include "emulator/runtime/state.hpp"
#include "emulator/runtime/streams.hpp"

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

bool is_shape(const Extents& grid, const Extents& block) {
  constexpr std::uint32_t most_blocks_in_x = 0x7fffffff;
  constexpr std::uint32_t most_blocks_in_y = 65'535;
  return grid.count() != 0 && grid.x <= most_blocks_in_x && grid.y <= most_blocks_in_y &&
         grid.z <= most_blocks_in_y && block.count() != 0 && block.x <= 1024 && block.y <= 1024 &&
         block.z <= 64 && block.count() <= 1024;
}

cudaError_t check_cluster(const KernelCall& call) {
  const Extents& cluster = call.cluster;
  if (cluster.count() == 1) return cudaSuccess;
  constexpr std::uint64_t most_blocks = 16;
  const bool fits = cluster.count() != 0 && cluster.count() <= most_blocks && call.grid.x % cluster.x == 0 &&
                    call.grid.y % cluster.y == 0 && call.grid.z % cluster.z == 0;
  return fits && card().major >= 9 ? cudaSuccess : cudaErrorInvalidClusterSize;
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

cudaError_t launch(const cudaKernelNodeParams& parameters, cudaStream_t stream, bool cooperative = false,
                   dim3 cluster = {1, 1, 1}) {
  const cudaError_t result = guarded(
      [&] {
        KernelCall call;
        call.cooperative = cooperative;
        call.cluster = extents(cluster);
        cudaError_t refused = from_parameters(parameters, call);
        if (refused == cudaSuccess) refused = check(call);
        return refused != cudaSuccess ? refused : submit(stream, std::move(call));
      },
      cudaErrorInvalidKernelImage);
  // Many programs do not ask whether a launch went well; this one has not run what it should have.
  if (result == cudaErrorInvalidKernelImage) log_fault();
  return result;
}

/// What an H200 answered to programs of CUDA 13; those of CUDA 12 know other names.
cudaError_t since_13(cudaError_t error, cudaError_t before) {
  int version = 0;
  return cudaRuntimeGetVersion(&version) == cudaSuccess && version >= 13'000 ? error : before;
}

cudaError_t impossible_shape() { return since_13(cudaErrorInvalidValue, cudaErrorInvalidConfiguration); }

cudaError_t unknown_function() {
  return since_13(cudaErrorInvalidResourceHandle, cudaErrorInvalidDeviceFunction);
}

/// Blocks that the card would run at a time.
std::uint32_t resident_blocks(const Kernel& kernel, const KernelCall& call) {
  const int blocks = occupancy_of(kernel, static_cast<int>(call.block.count()), call.shared).blocks;
  return static_cast<std::uint32_t>(std::max(1, blocks * card().multiprocessors));
}

/// What the calls after a fault return, as on a GPU; what only the checker finds is a failure.
cudaError_t error_of(const Fault& fault) {
  switch (fault.kind()) {
    case Fault::Kind::illegal_address:
      return cudaErrorIllegalAddress;
    case Fault::Kind::misaligned_address:
      return cudaErrorMisalignedAddress;
    case Fault::Kind::failure:
      break;
  }
  return cudaErrorLaunchFailure;
}

}  // namespace

cudaError_t from_parameters(const cudaKernelNodeParams& parameters, KernelCall& call) {
  const Kernel kernel = find_kernel(parameters.func);
  if (kernel.routine == nullptr) return unknown_function();
  if (parameters.kernelParams == nullptr && !kernel.routine->parameter_places.empty())
    return cudaErrorInvalidValue;
  call.function = parameters.func;
  call.grid = extents(parameters.gridDim);
  call.block = extents(parameters.blockDim);
  const auto& [x, y, z] = kernel.routine->cluster;
  if (x != 0 && call.cluster.count() == 1) call.cluster = {x, y, z};
  call.shared = parameters.sharedMemBytes;
  call.parameters = packed(*kernel.routine, parameters.kernelParams);
  return cudaSuccess;
}

cudaError_t check(const KernelCall& call) {
  const Kernel kernel = find_kernel(call.function);
  if (!is_shape(call.grid, call.block)) return impossible_shape();
  if (kernel.routine->most_threads != 0 &&
      call.block.count() > static_cast<std::uint64_t>(kernel.routine->most_threads)) {
    return cudaErrorInvalidValue;
  }
  const auto threads = static_cast<int>(call.block.count());
  if (threads > resources_of(kernel).most_threads) return cudaErrorLaunchOutOfResources;
  if (call.shared > most_dynamic_shared(kernel)) return cudaErrorInvalidValue;
  if (call.cooperative) {
    const auto blocks = static_cast<std::uint64_t>(occupancy_of(kernel, threads, call.shared).blocks);
    if (call.grid.count() > blocks * static_cast<std::uint64_t>(card().multiprocessors)) {
      return cudaErrorCooperativeLaunchTooLarge;
    }
  }
  return check_cluster(call);
}

cudaError_t perform(const KernelCall& call) {
  static std::recursive_mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  const Kernel kernel = find_kernel(call.function);
  std::ranges::copy(call.parameters, kernel.program->parameter_bank());
  std::string printed;
  flush_output();
  const Launch launched{.kernel = kernel.routine,
                        .grid = call.grid,
                        .block = call.block,
                        .cluster = call.cluster,
                        .dynamic_shared = call.shared,
                        .parameters = call.parameters,
                        .cooperative = call.cooperative,
                        .resident_blocks = resident_blocks(kernel, call),
                        .output = &printed};
  try {
    const std::vector<SiteCount> counts = run(launched, kernel.program->sites());
    LaunchRecord record = make_record(launched, kernel.program->sites(), counts);
    const Resources needs = resources_of(kernel);
    record.registers = needs.registers;
    if (needs.registers_architecture != card().architecture())
      record.registers_of = needs.registers_architecture;
    record.occupancy = occupancy_of(kernel, static_cast<int>(call.block.count()), call.shared).ratio;
    log_launch(record);
  } catch (const AssertionFailure& failure) {
    std::cerr << failure.what() << '\n';  // in CUDA's words, without ours
    set_sticky(cudaErrorAssert);
  } catch (const Fault& fault) {
    say(fault.what());
    log_fault();
    set_sticky(error_of(fault));
  }
  keep_output(printed);
  return cudaSuccess;  // a launch does not wait: if it failed, the next call learns of it
}

}  // namespace weft::emulator

using weft::emulator::configurations;
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

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  const auto bytes = static_cast<unsigned>(shared);
  return launch({const_cast<void*>(function), grid, block, bytes, arguments, nullptr}, stream);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  const auto bytes = static_cast<unsigned>(shared);
  return launch({const_cast<void*>(function), grid, block, bytes, arguments, nullptr}, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (config == nullptr) return weft::emulator::note(cudaErrorInvalidValue);
  bool cooperative = false;
  dim3 cluster{1, 1, 1};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
    }
  }
  const auto bytes = static_cast<unsigned>(config->dynamicSmemBytes);
  return launch({const_cast<void*>(function), config->gridDim, config->blockDim, bytes, arguments, nullptr},
                config->stream, cooperative, cluster);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
