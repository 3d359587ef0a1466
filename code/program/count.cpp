#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program/commands.hpp"
#include "program/options.hpp"

namespace weft {
namespace {

/// The emulator's function that labels the launches that come.
/// @throws UsageError where the runtime is another
auto* find_mark() {
  const std::string version = "libcudart.so." + std::to_string(CUDART_VERSION / 1000);  // as in counted.cpp
  auto* const mark =
      reinterpret_cast<void (*)(const char*)>(dlvsym(RTLD_DEFAULT, "weft_mark", version.c_str()));
  if (mark == nullptr) throw UsageError("--count is for the emulator, which counts launches");
  return mark;
}

}  // namespace

void count() {
  auto* const mark = find_mark();
  for (const Variant& variant : variants()) {
    if (variant.kind == Kind::peer) continue;  // its kernels are a library's machine code
    for (const Shape& shape : variant.counted) {
      const nlohmann::ordered_json label{
          {"step", variant.step}, {"shape", shape}, {"parameters", variant.parameters}};
      mark(label.dump().c_str());
      launch_once(variant, shape);
    }
  }
}

}  // namespace weft
