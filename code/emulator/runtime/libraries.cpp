/// @file
/// Code that programs load while they run. CUDA 12.4 does not declare these functions: they stand under names
/// of their own.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

cudaError_t load(Module** library, const void* code) {
  return guarded(
      [&] {
        if (library == nullptr || code == nullptr) return cudaErrorInvalidValue;
        *library = load_module(code);
        return cudaSuccess;
      },
      cudaErrorInvalidPtx);
}

}  // namespace
}  // namespace weft::emulator

using weft::emulator::guarded;
using weft::emulator::Module;

extern "C" {

/// Options for the compiler are of no use here: nothing is compiled.
cudaError_t weft_library_load_data(Module** library, const void* code, void* /*jit_options*/,
                                   void** /*jit_values*/, unsigned /*jit_count*/, void* /*options*/,
                                   void** /*values*/, unsigned /*count*/) {
  return weft::emulator::load(library, code);
}

cudaError_t weft_library_load_file(Module** library, const char* name, void* /*jit_options*/,
                                   void** /*jit_values*/, unsigned /*jit_count*/, void* /*options*/,
                                   void** /*values*/, unsigned /*count*/) {
  std::ifstream stream(name != nullptr ? name : "", std::ios::binary);
  if (!stream) return weft::emulator::note(cudaErrorFileNotFound);
  std::string code{std::istreambuf_iterator<char>(stream), {}};
  code.resize(std::max<std::size_t>(code.size(), 4));  // what it starts with is looked at
  return weft::emulator::load(library, code.data());
}

/// Its code stays: somebody may hold its kernels.
cudaError_t weft_library_unload(Module* library) {
  return weft::emulator::note(library != nullptr ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t weft_library_get_kernel(const void** kernel, Module* library, const char* name) {
  return guarded(
      [&] {
        if (kernel == nullptr || library == nullptr || name == nullptr) return cudaErrorInvalidValue;
        *kernel = kernel_handle(*library, name);
        return *kernel != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
      },
      cudaErrorInvalidKernelImage);
}

cudaError_t weft_library_get_global(void** address, std::size_t* bytes, Module* library, const char* name) {
  if (library == nullptr || name == nullptr) return weft::emulator::note(cudaErrorInvalidValue);
  const auto found = symbol_of(*library, name);
  if (address != nullptr) *address = found.address;
  if (bytes != nullptr) *bytes = found.bytes;
  return weft::emulator::note(found.address != nullptr ? cudaSuccess : cudaErrorSymbolNotFound);
}

cudaError_t weft_library_get_kernel_count(unsigned* count, Module* library) {
  return guarded([&] {
    if (count == nullptr || library == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(kernel_handles(*library).size());
    return cudaSuccess;
  });
}

cudaError_t weft_library_enumerate_kernels(const void** kernels, unsigned count, Module* library) {
  return guarded([&] {
    if (kernels == nullptr || library == nullptr) return cudaErrorInvalidValue;
    const auto all = kernel_handles(*library);
    std::copy_n(all.begin(), std::min<std::size_t>(count, all.size()), kernels);
    return cudaSuccess;
  });
}

}  // extern "C"
