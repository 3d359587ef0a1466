#include <doctest/doctest.h>

#include <span>
#include <stdexcept>
#include <string>

#include "binary/cubin.hpp"
#include "binary/elf.hpp"
#include "binary/fat_binary.hpp"
#include "binary/mangled_name.hpp"
#include "binary/mapped_file.hpp"

namespace weft::test {
namespace {

/// The mutants' program's machine code, which the recorder reads.
std::span<const std::byte> image() {
  static const MappedFile file(MUTANTS);
  static const ElfFile program(file.bytes());
  for (const FatBinaryEntry& entry : read_fat_binaries(program.find(".nv_fatbin")->contents)) {
    if (entry.kind == FatBinaryEntry::Kind::machine_code) return entry.payload;
  }
  throw std::runtime_error("no machine code");
}

/// What the recorder knows of a kernel of the mutants' program.
MachineFunction machine_function(const std::string& kernel) {
  for (const auto& [name, function] : read_cubin(image(), 90).functions) {
    if (readable_name(name) == kernel) return function;
  }
  throw std::runtime_error("no kernel " + kernel);
}

TEST_CASE("shared memory and registers are read from machine code") {
  constexpr int tile_bytes = 32 * 33 * 4;
  CHECK(machine_function("transpose_without_barrier").shared_bytes == tile_bytes);
  CHECK(machine_function("transpose_first").shared_bytes == 0);
  for (const char* kernel : {"transpose_without_barrier", "transpose_first"}) {
    CHECK(machine_function(kernel).registers > 4);
    CHECK(machine_function(kernel).registers < 256);
  }
}

TEST_CASE("damaged machine code is refused") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{63}, std::size_t{64}, image().size() / 2})
    CHECK_THROWS_AS(read_cubin(image().first(size), 90), std::runtime_error);
}

}  // namespace
}  // namespace weft::test
