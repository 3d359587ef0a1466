#include "binary/launches.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <regex>

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

/// Where a function's parameters begin: behind the arguments of its template, in which there may be
/// parentheses.
std::size_t name_end(const std::string& name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0) return i;
  }
  return name.size();
}

std::array<std::int64_t, 3> extents(dim3 d) { return {d.x, d.y, d.z}; }

}  // namespace

LaunchListener::LaunchListener() {
  const std::scoped_lock lock(registry().mutex);
  registry().listener = &launches_;
}

LaunchListener::~LaunchListener() {
  const std::scoped_lock lock(registry().mutex);
  registry().listener = nullptr;
}

void note_kernel(const void* function, const char* name) {
  const std::scoped_lock lock(registry().mutex);
  registry().names[function] = name;
  registry().functions.push_back(function);
}

void note_handle(const void* handle, const void* function) {
  const std::scoped_lock lock(registry().mutex);
  registry().names[handle] = registry().names[function];
}

void note_launch(const void* function, dim3 grid, dim3 block, std::size_t dynamic_shared, dim3 cluster) {
  const std::scoped_lock lock(registry().mutex);
  if (registry().listener == nullptr) return;
  registry().listener->push_back({registry().names[function], extents(grid), extents(block),
                                  static_cast<std::int64_t>(dynamic_shared), extents(cluster)});
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
  // Nor the namespaces of the arguments of a template that are only there for the compiler; see
  // chapter.cmake.
  static const std::regex made(R"(\(anonymous namespace\)::|\bweft_program_\w+::)");
  std::string name = std::regex_replace(demangled.get(), made, "");
  name.erase(name_end(name));                       // parameters
  if (name.starts_with("void ")) name.erase(0, 5);  // templates carry their return type
  const std::size_t qualified = name.rfind("::", name.find('<'));
  if (qualified != std::string::npos) name.erase(0, qualified + 2);
  return name;
}

}  // namespace weft
