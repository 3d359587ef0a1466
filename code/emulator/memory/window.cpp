#include "emulator/memory/window.hpp"

#include <sys/mman.h>

#include "emulator/error.hpp"

namespace weft::emulator {
namespace {

/// Reserves the addresses, so that neither the host's memory nor the device's ever lies there.
std::uint64_t reserve() {
  const void* const place =
      mmap(nullptr, 3 * window_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw Error("no room for the windows of shared and local memory");
  const auto address = reinterpret_cast<std::uint64_t>(place);
  return (address + window_bytes - 1) / window_bytes * window_bytes;
}

}  // namespace

std::uint64_t shared_window() {
  static const std::uint64_t start = reserve();
  return start;
}

}  // namespace weft::emulator
