// Accesses are counted as the machine code makes them, which joins neighbours.

#include "emulator/ptxas/executions.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <set>
#include <string>

#include "emulator/execute/doubts.hpp"
#include "fat_binary_file.hpp"
#include "run_ptx.hpp"

using namespace weft::emulator;

namespace {

using Words = std::vector<std::uint32_t>;

/// Requests and units by what is counted.
struct Sums {
  std::map<Counting, SiteCount> of;
  std::set<Doubt> doubts;

  [[nodiscard]] std::uint64_t requests(Counting counting) const { return at(counting).requests; }
  [[nodiscard]] std::uint64_t units(Counting counting) const { return at(counting).units; }

 private:
  [[nodiscard]] SiteCount at(Counting counting) const {
    const auto found = of.find(counting);
    return found == of.end() ? SiteCount{} : found->second;
  }
};

/// Launches one block of a kernel whose parameters are pointers, followed by a number if there is room for
/// one.
Sums launch(Program& program, const std::string& name, const std::vector<const Array*>& pointers,
            std::uint32_t number, std::uint32_t threads = 32) {
  const Routine* const kernel = program.kernel(name);
  REQUIRE(kernel != nullptr);
  std::vector<std::byte> parameters(kernel->parameter_bytes);
  std::size_t next = 0;
  for (const Array* const pointer : pointers) {
    const std::uint64_t address = pointer->address();
    std::memcpy(parameters.data() + kernel->parameter_places[next++].offset, &address, sizeof address);
  }
  if (next < kernel->parameter_places.size())
    std::memcpy(parameters.data() + kernel->parameter_places[next].offset, &number, sizeof number);
  std::memcpy(program.parameter_bank(), parameters.data(), parameters.size());
  Launch how;
  how.kernel = kernel;
  how.block = {threads, 1, 1};
  how.parameters = parameters;
  const std::vector<SiteCount> counts = run(how, program.sites());
  Sums sums;
  sums.doubts = kernel->doubts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    SiteCount& sum = sums.of[program.sites()[i].counting];
    sum.requests += program.sites()[i].tallied ? 0 : counts[i].requests;
    sum.units += counts[i].units;
    sums.doubts.merge(doubts_of(how, program.sites(), counts, i));
  }
  return sums;
}

Sums launch(bool lines, const std::string& name, const std::vector<const Array*>& pointers,
            std::uint32_t number, std::uint32_t threads = 32) {
  Program program = program_of("joins", lines);
  return launch(program, name, pointers, number, threads);
}

/// What one warp of a kernel should do in shared memory.
struct Expected {
  const char* kernel;
  std::uint64_t loads, load_wavefronts, stores, store_wavefronts;
};

constexpr std::uint32_t shift = 5;

}  // namespace

TEST_CASE("neighbouring accesses to shared memory are counted as ptxas joined them") {
  // Sixteen bytes per lane in a row: four wavefronts. Eight: two. A stride of 32 bytes doubles the
  // wavefronts, one of 128 bytes gives every lane a wavefront of its own.
  const std::vector<Expected> all{
      {"four_words", 1, 4, 1, 4},     {"two_words", 1, 2, 1, 2},    {"unaligned_words", 4, 4, 4, 4},
      {"eight_words", 2, 16, 8, 8},   {"row_sums", 8, 256, 32, 32}, {"three_words", 1, 4, 2, 8},
      {"two_buffers", 5, 20, 20, 20}, {"stencil", 3, 3, 2, 2},      {"reduction", 11, 11, 6, 6},
      {"four_doubles", 2, 16, 2, 16},
  };
  for (const bool lines : {true, false}) {
    CAPTURE(lines);
    for (const Expected& expected : all) {
      CAPTURE(expected.kernel);
      const Array out(Words(2048, 1));
      const Sums sums = launch(lines, expected.kernel, {&out}, shift);
      CHECK(sums.doubts.empty());
      CHECK(sums.requests(Counting::shared_load) == expected.loads);
      CHECK(sums.units(Counting::shared_load) == expected.load_wavefronts);
      CHECK(sums.requests(Counting::shared_store) == expected.stores);
      CHECK(sums.units(Counting::shared_store) == expected.store_wavefronts);
    }
  }
}

TEST_CASE("tile products count what their unrolled loops do") {
  constexpr std::uint32_t tiles = 3;
  for (const bool lines : {true, false}) {
    CAPTURE(lines);
    const Array a(Words(std::size_t{tiles} * 512, 0x3f800000));
    const Array b(Words(std::size_t{tiles} * 512, 0x40000000));
    const Array c(Words(4096));
    // Eight warps, and 16 bytes of each factor for each of a tile's eight turns.
    const Sums rows = launch(lines, "tile_product", {&a, &b, &c}, tiles * 8, 256);
    CHECK(rows.doubts.empty() == lines);  // which stores the turns left over guard, only lines would tell
    CHECK(rows.requests(Counting::shared_load) == tiles * 8 * 8 * 2);
    CHECK(c.words() == Words(4096, 0x42400000));
    // Sixteen warps; a tile's eight turns read four words of each of eight rows at once, and a word each of
    // b.
    const Sums columns = launch(lines, "column_product", {&a, &b, &c}, tiles * 8, 512);
    CHECK(columns.doubts.empty());
    CHECK(columns.requests(Counting::shared_load) == tiles * 16 * (8 * 2 + 8));
    CHECK(c.words() == Words(4096, 0x42400000));
  }
}

TEST_CASE("atomics are counted as the machine code carries them out") {
  const Array out(Words(2));
  const Array sums(Words(4));
  const Sums counted = launch(true, "counters", {&out, &sums}, 0);
  CHECK(counted.doubts.empty());
  CHECK((out.words() == Words{32, 496}));
  CHECK((sums.words() == Words(4, 0x41000000)));
  // One lane adds for all to the counters.
  CHECK(counted.requests(Counting::global_reduction) == 1);
  CHECK(counted.units(Counting::global_reduction) == 1);
  // Eight lanes want each of the four floats: eight turns of a load and a compare-and-swap; and two plain
  // loads.
  CHECK(counted.requests(Counting::shared_atomic) == 1);
  CHECK(counted.requests(Counting::shared_swap) == 8);
  CHECK(counted.units(Counting::shared_swap) == 16);
  CHECK(counted.requests(Counting::shared_load) == 8 + 2);
}

TEST_CASE("an atomic whose result nobody uses is the reduction or the atomic that ptxas has made of it") {
  for (const bool lines : {true, false}) {
    CAPTURE(lines);
    const Array out(Words(64));
    const Sums fenced = launch(lines, "fenced", {&out}, 1);
    CHECK(fenced.doubts.empty());
    CHECK(fenced.requests(Counting::global_atomic) == 1);
    CHECK(fenced.units(Counting::global_atomic) == 4);
    CHECK(fenced.requests(Counting::global_reduction) == 0);
    const Sums unfenced = launch(lines, "unfenced", {&out}, 1);
    CHECK(unfenced.doubts.empty());
    CHECK(unfenced.requests(Counting::global_atomic) == 0);
    CHECK(unfenced.requests(Counting::global_reduction) == 1);
    CHECK(unfenced.units(Counting::global_reduction) == 4);
  }
}

TEST_CASE("instructions count as executed even where their guards leave no lane") {
  const Array out(Words(64, 1));
  const Sums half = launch(true, "half_the_block", {&out}, shift, 64);
  CHECK(half.doubts.empty());
  // Two warps load three times and store twice: two of the loads and a store without a lane in one of them.
  CHECK(half.requests(Counting::shared_load) == 6);
  CHECK(half.units(Counting::shared_load) == 4);
  CHECK(half.requests(Counting::shared_store) == 4);
  CHECK(half.units(Counting::shared_store) == 3);
  const Sums often = launch(true, "half_the_block_often", {&out}, shift, 64);
  CHECK(often.doubts.empty());
  constexpr std::uint64_t turns = 135;
  CHECK(often.requests(Counting::shared_load) == 2 * turns);
  CHECK(often.units(Counting::shared_load) == turns);
  const Array in(Words(128, 7));
  const Sums copy = launch(true, "asynchronous_copy", {&in, &out}, shift);
  CHECK(copy.doubts.empty());
  CHECK(copy.requests(Counting::shared_load) == 1 + 3);
  CHECK(copy.units(Counting::shared_load) == 4);  // four words apart
  CHECK(copy.units(Counting::global_copy) == 16);
  CHECK(out.words()[31] == 7);
}

TEST_CASE("a program without machine code is never called exact") {
  const auto images = images_of("joins", true);
  Program program(best_ptx(images, 90)->contents);
  CHECK(program.kernel("four_words")->doubts.contains(Doubt::no_machine_code));
}

TEST_CASE("machine code of another program is not taken for its own") {
  const auto images = images_of("joins", false);
  Program program(best_ptx(images, 90)->contents, cubin_of("resources", false));
  CHECK(program.kernel("four_words")->doubts.contains(Doubt::machine_code));
}

TEST_CASE("constants are no global loads") {
  const Array out(Words(32, 1));
  for (const bool lines : {true, false}) {
    const Sums sums = launch(lines, "constants", {&out}, shift);
    CHECK(sums.doubts.empty());
    CHECK(sums.requests(Counting::global_load) == 1);
    CHECK(sums.units(Counting::global_load) == 4);
  }
}

TEST_CASE("matrices are loaded and stored as the machine code does it") {
  const Array in(Words(128));
  const Array out(Words(256));
  const Sums sums = launch(true, "matrices", {&in, &out}, shift);
  CHECK(sums.doubts.empty());
  CHECK(sums.requests(Counting::shared_matrix) == 2 + 1);  // the loop's two turns; all of A at once
  CHECK(sums.units(Counting::shared_matrix) == 2 * 2 + 8);
  CHECK(sums.requests(Counting::global_load) == 1 + 4);  // B, turned around behind that
  CHECK(sums.requests(Counting::global_store) == 4);     // two floats by each lane
  CHECK(sums.units(Counting::global_store) == 4 * 8);
}

TEST_CASE("a lane that adds for its warp may do so several times") {
  const Array out(Words(64));
  const Sums lines = launch(true, "several_counters", {&out}, shift);
  CHECK(lines.doubts.empty());
  CHECK(lines.requests(Counting::global_reduction) == 4);
  CHECK(lines.units(Counting::global_reduction) == 4);
  CHECK((out.words()[0] == 0U - 32 * 3 && out.words()[3] == 0U - 32 * 3));
  CHECK(launch(false, "several_counters", {&out}, shift).units(Counting::global_reduction) == 4);
}

TEST_CASE("adding a number to 64 bits is one lane's task, too") {
  const Array out(Words(2));
  for (const bool lines : {true, false}) {
    const Sums sums = launch(lines, "wide_counter", {&out}, shift);
    CHECK(sums.doubts.empty());
    CHECK(sums.units(Counting::global_reduction) == 1);
  }
}

TEST_CASE("where an address is read from memory, lines tell that one lane adds for all") {
  const Array out(Words(64));
  const Sums with = launch(true, "counter_somewhere", {&out}, shift);
  CHECK(with.doubts.empty());
  CHECK(with.units(Counting::global_reduction) == 1);
  CHECK(launch(false, "counter_somewhere", {&out}, shift).doubts.contains(Doubt::machine_code));
}

TEST_CASE("without lines, guards that leave a warp no lane are doubted") {
  const Array out(Words(64, 1));
  CHECK(launch(false, "half_the_block", {&out}, shift, 64).doubts == std::set{Doubt::guards});
}

TEST_CASE("what is told by others depends on the schedule") {
  const Array flag(Words(64, 1));
  for (const bool lines : {true, false}) {
    CAPTURE(lines);
    CHECK(launch(lines, "waits", {&flag}, shift).doubts == std::set{Doubt::schedule});
    CHECK(launch(lines, "appends", {&flag}, shift).doubts == std::set{Doubt::schedule});
    CHECK(launch(lines, "greatest", {&flag}, shift).doubts == std::set{Doubt::schedule});
    CHECK(launch(lines, "takes_numbers", {&flag}, shift).doubts.empty());
  }
}

TEST_CASE("several warps that swap in shared memory hinder each other") {
  const Array out(Words(2));
  const Array sums(Words(4));
  CHECK(launch(true, "counters", {&out, &sums}, 0, 64).doubts == std::set{Doubt::schedule});
}

TEST_CASE("local memory is not counted, and that is told") {
  const Array data(Words(std::size_t{128} * 128, 1));
  Program program = program_of("resources", true);
  CHECK(launch(program, "local_array", {&data}, 3).doubts == std::set{Doubt::local_memory});
  Program spilling = program_of("resources", false);
  CHECK(launch(spilling, "spills", {&data}, 1).doubts.contains(Doubt::local_memory));
}

TEST_CASE("what printf accesses is told to be missing if it prints") {
  const Array data(Words(64, 1));
  Program program = program_of("resources", true);
  CHECK(launch(program, "prints", {&data}, 0).doubts.empty());
  CHECK(launch(program, "prints", {&data}, 1).doubts.contains(Doubt::provided));
}

TEST_CASE("machine code for another card is no witness") {
  const auto images = images_of("joins", false);
  const Image* const other = best_machine_code(images, 80);
  weft::Cubin cubin = weft::read_cubin(std::as_bytes(std::span(other->contents)), 80);
  cubin.of_other_card = true;
  Program program(best_ptx(images, 80)->contents, std::move(cubin));
  const Array out(Words(2048, 1));
  CHECK(launch(program, "four_words", {&out}, shift).doubts == std::set{Doubt::no_machine_code});
}
