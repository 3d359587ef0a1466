#include "kernel/cublas.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "step/text.hpp"

namespace weft {
namespace {

template <typename Function>
Function* find(void* library, const char* name) {
  if (auto* function = reinterpret_cast<Function*>(dlsym(library, name))) return function;
  throw std::runtime_error(std::string("cuBLAS has no function ") + name);
}

}  // namespace

Cublas::Cublas() {
  const std::string name = "libcublas.so." + std::to_string(CUDART_VERSION / 1000);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Unavailable("this needs cuBLAS, and " + name + " is not found");
  auto* create = find<int(Handle*)>(library, "cublasCreate_v2");
  set_stream_ = find<SetStream>(library, "cublasSetStream_v2");
  set_math_ = find<SetMath>(library, "cublasSetMathMode");
  geam_ = find<Geam>(library, "cublasSgeam");
  gemm_ = find<Gemm>(library, "cublasSgemm_v2");
  check_status(create(&handle_), "cublasCreate");
}

void Cublas::check_status(int status, const char* call) {
  if (status == 0) return;
  throw std::runtime_error(std::string(call) + " failed with cuBLAS status " + std::to_string(status));
}

}  // namespace weft
