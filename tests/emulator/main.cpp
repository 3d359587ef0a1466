#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <exception>
#include <iostream>

#include "emulator/handlers/instruction_table.hpp"

int main(int argc, const char* const* argv) {
  constexpr int exit_skipped = 77;
  try {
    weft::emulator::instruction_table();
  } catch (const std::exception& error) {  // this processor lacks the vectors that are to be tested
    std::cerr << error.what() << '\n';
    return exit_skipped;
  }
  return doctest::Context(argc, argv).run();
}
