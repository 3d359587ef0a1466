#include "binary/cubin.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "binary/elf.hpp"
#include "fat_binary_file.hpp"

using namespace weft;
using namespace weft::emulator;

namespace {

using Widths = std::map<std::pair<MachineOperation, int>, int>;

/// How many instructions of each kind and width there are.
Widths widths_of(const MachineFunction& function) {
  Widths widths;
  for (const MachineAccess& access : function.accesses) {
    const MachineInstruction& instruction = access.instruction;
    if (instruction.operation != MachineOperation::branch)
      ++widths[{instruction.operation, instruction.bytes}];
  }
  return widths;
}

}  // namespace

TEST_CASE("a cubin tells what its kernels need") {
  const Cubin cubin = cubin_of("resources", true);
  CHECK(cubin.architecture == 90);
  const MachineFunction* const widths = cubin.find("widths");
  REQUIRE(widths != nullptr);
  CHECK(widths->registers >= 8);
  CHECK(widths->registers <= 128);  // two blocks of 256 threads fit
  CHECK(widths->shared_bytes == 64 * 16 + 256 * 8);
  CHECK(widths->constant_bytes == 400);
  CHECK(widths->frame_bytes == 0);
  CHECK(widths->most_threads == 256);
  const MachineFunction* const local = cubin.find("local_array");
  REQUIRE(local != nullptr);
  CHECK(local->frame_bytes == 512);
  CHECK(local->shared_bytes == 0);
  CHECK(local->most_threads == 0);
  CHECK(cubin.find("no_such_kernel") == nullptr);
}

TEST_CASE("memory instructions of the machine code have operations and widths") {
  using enum MachineOperation;
  const Widths widths = widths_of(*cubin_of("resources", true).find("widths"));
  const Widths expected{{{load_global, 16}, 1},  {{load_global, 8}, 1},  {{load_global, 2}, 1},
                        {{store_global, 16}, 1}, {{store_global, 8}, 1}, {{store_global, 2}, 1},
                        {{load_shared, 16}, 1},  {{load_shared, 8}, 1},  {{store_shared, 16}, 1},
                        {{store_shared, 8}, 1}};
  CHECK(widths == expected);
}

TEST_CASE("machine instructions know the PTX's lines, if the program has any") {
  const auto images = images_of("resources", true);
  for (const int architecture : {80, 90}) {
    const std::string& ptx = best_ptx(images, architecture)->contents;
    const auto line_of = [&](const std::string& text) {
      const auto end = ptx.begin() + static_cast<std::ptrdiff_t>(ptx.find(text));
      return 1 + std::count(ptx.begin(), end, '\n');
    };
    const std::string& code = best_machine_code(images, architecture)->contents;
    const Cubin cubin = read_cubin(std::as_bytes(std::span(code)), architecture);
    const auto& accesses = cubin.find("widths")->accesses;
    const auto line_of_access = [&](MachineOperation operation, int bytes) {
      const auto found = std::ranges::find_if(accesses, [&](const MachineAccess& access) {
        return access.instruction.operation == operation && access.instruction.bytes == bytes;
      });
      return found == accesses.end() ? -1 : static_cast<std::ptrdiff_t>(found->ptx_line);
    };
    CHECK(line_of_access(MachineOperation::load_shared, 16) == line_of("ld.shared.v4"));
    CHECK(line_of_access(MachineOperation::store_shared, 8) == line_of("st.shared.f64"));
    CHECK(line_of_access(MachineOperation::load_global, 16) == line_of("ld.global.v4"));
  }
  const Cubin without_lines = cubin_of("resources", false);
  for (const MachineAccess& access : without_lines.find("widths")->accesses) CHECK(access.ptx_line == 0);
}

TEST_CASE("a damaged cubin is refused, and never read past its end") {
  const auto images = images_of("resources", true);
  const std::string whole = best_machine_code(images, 90)->contents;
  const auto read = [](const std::string& bytes) { return read_cubin(std::as_bytes(std::span(bytes)), 90); };
  CHECK_THROWS_AS(read(""), std::runtime_error);
  CHECK_THROWS_AS(read("no ELF file, though it is longer than the header of one, which has 64 bytes"),
                  std::runtime_error);
  CHECK_THROWS_AS(read(whole.substr(0, whole.size() / 2)), std::runtime_error);
  std::mt19937 random(1);
  int refused = 0;
  constexpr int rounds = 3000;
  for (int i = 0; i < rounds; ++i) {
    // From the heap and of exact size, so that the address sanitizer sees every byte too many.
    std::vector<char> damaged(whole.begin(), whole.end());
    if (i % 4 == 0) damaged.resize(random() % damaged.size());
    for (unsigned k = 0; !damaged.empty() && k < 1 + random() % 20; ++k) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    try {
      read_cubin(std::as_bytes(std::span(damaged)), 90);
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  CHECK(refused > rounds / 4);
}
