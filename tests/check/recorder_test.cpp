#include <doctest/doctest.h>

#include <span>
#include <stdexcept>
#include <string>

#include "binary/fat_binary.hpp"
#include "binary/launches.hpp"
#include "recorder/kernels.hpp"

namespace weft::test {
namespace {

/// What the recorder knows of a kernel of the mutants' program.
recorder::Resources resources_of(const std::string& kernel) {
  for (const MachineModule& module : read_device_code(MUTANTS).machine_code) {
    for (const auto& [name, resources] : recorder::read_resources(module.image)) {
      if (readable_name(name) == kernel) return resources;
    }
  }
  throw std::runtime_error("no kernel " + kernel);
}

TEST_CASE("shared memory and registers are read from machine code") {
  constexpr int tile_bytes = 32 * 33 * 4;
  CHECK(resources_of("transpose_without_barrier").static_shared == tile_bytes);
  CHECK(resources_of("transpose_first").static_shared == 0);
  for (const char* kernel : {"transpose_without_barrier", "transpose_first"}) {
    CHECK(resources_of(kernel).registers > 4);
    CHECK(resources_of(kernel).registers < 256);
  }
}

TEST_CASE("damaged machine code is refused") {
  const MachineModule whole = read_device_code(MUTANTS).machine_code.at(0);
  for (const std::size_t size : {std::size_t{0}, std::size_t{63}, std::size_t{64}, whole.image.size() / 2}) {
    const std::span<const std::byte> cut(whole.image.data(), size);
    CHECK_THROWS_AS(recorder::read_resources(cut), std::runtime_error);
  }
}

}  // namespace
}  // namespace weft::test
