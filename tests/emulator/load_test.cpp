// Modules: what they take, and give back.

#include <doctest/doctest.h>

#include <string>

#include "emulator/error.hpp"
#include "emulator/load/program.hpp"
#include "emulator/memory/allocations.hpp"

using namespace weft::emulator;

TEST_CASE("a module that is gone, or could not be loaded, has given its memory back") {
  const std::string variable = ".version 8.0\n.global .b8 table[1000];\n";
  const std::uint64_t before = device_memory().bytes_in_use();
  {
    const Program program(variable);
    CHECK(device_memory().bytes_in_use() >= before + 1000);
  }
  CHECK(device_memory().bytes_in_use() == before);
  CHECK_THROWS_AS(Program(variable + ".global .u64 address = unknown;"), Error);
  CHECK(device_memory().bytes_in_use() == before);
}
