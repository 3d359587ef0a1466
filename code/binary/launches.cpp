#include "binary/launches.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <vector_types.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace weft {
namespace {

/// Filled by static initializers, so it is made on first use.
struct Registry {
  std::mutex mutex;
  std::map<const void*, std::string> names;  // by the host's function and by the runtime's handle
  std::vector<const void*> functions;
  std::vector<Launched>* listener = nullptr;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

/// The definition that this program's own hides: the runtime's, the recorder's or the emulator's.
template <typename Function>
Function* next(const char* name) {
  void* const symbol = dlsym(RTLD_NEXT, name);
  if (symbol == nullptr) {
    static_cast<void>(std::fprintf(stderr, "the CUDA runtime in use has no %s\n", name));
    std::_Exit(2);
  }
  return reinterpret_cast<Function*>(symbol);
}

std::array<std::int64_t, 3> extents(dim3 d) { return {d.x, d.y, d.z}; }

void note(const void* function, dim3 grid, dim3 block, std::size_t dynamic_shared, dim3 cluster = {0, 0, 0}) {
  const std::scoped_lock lock(registry().mutex);
  if (registry().listener == nullptr) return;
  registry().listener->push_back({registry().names[function], extents(grid), extents(block),
                                  static_cast<std::int64_t>(dynamic_shared), extents(cluster)});
}

}  // namespace

LaunchListener::LaunchListener() {
  const std::scoped_lock lock(registry().mutex);
  registry().listener = &launches_;
}

LaunchListener::~LaunchListener() {
  const std::scoped_lock lock(registry().mutex);
  registry().listener = nullptr;
}

std::vector<const void*> kernel_handles() {
  const std::scoped_lock lock(registry().mutex);
  return registry().functions;
}

std::string readable_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return mangled;
  std::string name = demangled.get();
  const std::string anonymous = "(anonymous namespace)::";
  for (std::size_t at = name.find(anonymous); at != std::string::npos; at = name.find(anonymous)) {
    name.erase(at, anonymous.size());
  }
  name.erase(std::min(name.find('('), name.size()));  // parameters
  if (name.starts_with("void ")) name.erase(0, 5);    // templates carry their return type
  const std::size_t qualified = name.rfind("::", name.find('<'));
  if (qualified != std::string::npos) name.erase(0, qualified + 2);
  return name;
}

}  // namespace weft

// The entry points through which nvcc's host code registers and launches. Their names are reserved, and
// nvcc's. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

void __cudaRegisterFunction(void** module, const char* host_function, char* device_function, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_extents,
                            dim3* grid_extents, int* warp_size) {
  using Signature = void(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
  static auto* const forward = weft::next<Signature>("__cudaRegisterFunction");
  {
    const std::scoped_lock lock(weft::registry().mutex);
    weft::registry().names[host_function] = name;
    weft::registry().functions.push_back(host_function);
  }
  forward(module, host_function, device_function, name, thread_limit, thread, block, block_extents,
          grid_extents, warp_size);
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  static auto* const forward = weft::next<cudaError_t(cudaKernel_t*, const void*)>("__cudaGetKernel");
  const cudaError_t result = forward(kernel, host_function);
  if (result == cudaSuccess) {
    const std::scoped_lock lock(weft::registry().mutex);
    weft::registry().names[*kernel] = weft::registry().names[host_function];
  }
  return result;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  static auto* const forward =
      weft::next<cudaError_t(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t)>(
          "__cudaLaunchKernel");
  weft::note(kernel, grid, block, shared);
  return forward(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  static auto* const forward = weft::next<decltype(cudaLaunchKernel)>("cudaLaunchKernel");
  weft::note(function, grid, block, shared);
  return forward(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  static auto* const forward =
      weft::next<decltype(cudaLaunchCooperativeKernel)>("cudaLaunchCooperativeKernel");
  weft::note(function, grid, block, shared);
  return forward(function, grid, block, arguments, shared, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  static auto* const forward = weft::next<decltype(cudaLaunchKernelExC)>("cudaLaunchKernelExC");
  dim3 cluster{0, 0, 0};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
  }
  weft::note(function, config->gridDim, config->blockDim, config->dynamicSmemBytes, cluster);
  return forward(config, function, arguments);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
