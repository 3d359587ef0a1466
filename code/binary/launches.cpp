#include "binary/launches.hpp"

#include <map>
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

}  // namespace weft
