#include "emulator/handlers/instruction_table.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "emulator/error.hpp"
#include "emulator/handlers/handlers.hpp"
#include "emulator/portable/all.hpp"
#include "emulator/vector/tables.hpp"

namespace weft::emulator {
namespace {

/// An instruction set that handlers were built for.
struct Build {
  std::string_view name;
  bool (*supported)();
  void (*add)(Table&);
};

constexpr std::array builds{
    Build{"avx512", [] { return __builtin_cpu_supports("x86-64-v4") != 0; }, avx512::add_vector_code},
    Build{"avx2", [] { return __builtin_cpu_supports("x86-64-v3") != 0; }, avx2::add_vector_code},
    Build{"baseline", [] { return true; }, baseline::add_vector_code},
};

const Build& chosen_build() {
  const char* const wanted = std::getenv("WEFT_EMULATOR_ISA");
  for (const Build& build : builds) {
    if (build.add == nullptr || !build.supported()) continue;
    if (wanted == nullptr || build.name == wanted) return build;
  }
  if (wanted == nullptr)
    throw Error("the emulator was built for another processor: build it anew with `make`");
  throw Error(
      "WEFT_EMULATOR_ISA=" + std::string(wanted) +
      ": this processor has no such vectors, or the emulator was built without (avx512, avx2, baseline)");
}

Table make_table() {
  Table table;
  add_control(table);
  add_calls(table);
  add_provided(table);
  add_packing(table);
  add_cluster(table);
  add_matrix_memory(table);
  add_slow_memory(table);
  add_collective(table);
  add_atomic(table);
  add_asynchronous(table);
  add_portable_code(table);
  chosen_build().add(table);  // the last word
  return table;
}

}  // namespace

const Table& instruction_table() {
  static const Table table = make_table();
  return table;
}

std::string_view instruction_set() { return chosen_build().name; }

}  // namespace weft::emulator
