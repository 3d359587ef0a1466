// Entry points through which a program registers its kernels and launches them: all succeed, none runs
// anything.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "binary/cubin.hpp"
#include "binary/fat_binary.hpp"
#include "model/occupancy.hpp"

namespace {

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared;
  cudaStream_t stream;
};

thread_local std::vector<Configuration> configurations;

/// Filled by the program's static initializers, so it is made on first use.
struct Registry {
  std::map<const void*, std::string> names;
  weft::Cubin cubin;  // of all modules
};

Registry& registry() {
  static Registry instance;
  return instance;
}

/// What a kernel needs; null if it has no machine code for sm_90.
const weft::MachineFunction* machine_function(const void* function) {
  const auto name = registry().names.find(function);
  return name == registry().names.end() ? nullptr : registry().cubin.find(name->second);
}

constexpr int architecture = 90;

std::uint64_t launches = 0;

cudaError_t launch() {
  ++launches;
  return cudaSuccess;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

/// Says whose runtime this is.
const char* weft_runtime() { return "recorder"; }

/// How many kernels the program has launched.
std::uint64_t weft_launches() { return launches; }

void** __cudaRegisterFatBinary(void* argument) {
  try {
    for (const weft::FatBinaryEntry& entry :
         weft::read_fat_binaries(weft::registered_code(argument).linked)) {
      if (entry.kind != weft::FatBinaryEntry::Kind::machine_code || entry.architecture != architecture)
        continue;
      if (entry.compression != weft::FatBinaryEntry::Compression::none)
        throw std::runtime_error(
            "their machine code is compressed: build them with nvcc's option --no-compress");
      registry().cubin.functions.merge(weft::read_cubin(entry.payload, architecture).functions);
    }
  } catch (const std::exception& error) {
    static_cast<void>(
        std::fprintf(stderr, "recorder: nothing is known of this program's kernels: %s\n", error.what()));
  }
  return static_cast<void**>(argument);
}

void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}

void __cudaRegisterFunction(void**, const char* host_function, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  registry().names[host_function] = name;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const Configuration& top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  configurations.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return launch();
}

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t) { return launch(); }

cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return launch();
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) { return launch(); }

// What a graph is made of counts as launched when it is captured.
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) { return cudaSuccess; }

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = nullptr;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* graph, cudaGraph_t, unsigned long long) {
  *graph = nullptr;
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return cudaSuccess; }

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }

cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const weft::MachineFunction* const machine = machine_function(function);
  if (machine == nullptr) return cudaErrorInvalidDeviceFunction;
  *attributes = {};
  attributes->numRegs = machine->registers;
  attributes->sharedSizeBytes = machine->shared_bytes;
  attributes->maxThreadsPerBlock = weft::model::max_threads_per_block;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(weft::model::default_shared_per_block -
                                                           static_cast<std::int64_t>(machine->shared_bytes));
  attributes->binaryVersion = architecture;
  attributes->ptxVersion = architecture;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int threads, std::size_t dynamic_shared,
                                                                   unsigned) {
  const weft::MachineFunction* const machine = machine_function(function);
  if (machine == nullptr) return cudaErrorInvalidDeviceFunction;
  *blocks = weft::model::occupancy(weft::model::device_limits(9, 0),
                                   {.threads = threads,
                                    .registers = machine->registers,
                                    .static_shared = static_cast<std::int64_t>(machine->shared_bytes),
                                    .dynamic_shared = static_cast<std::int64_t>(dynamic_shared)})
                .blocks;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic_shared, 0);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
