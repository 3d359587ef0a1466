// Counting as Nsight Compute does: all accesses that were recorded on an H200, made by running them.

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "run_ptx.hpp"

using namespace weft::emulator;

namespace {

struct Recorded {
  std::string instruction, pattern;
  std::uint32_t mask = 0;
  std::vector<std::uint32_t> elements;
  std::string requests, sectors, wavefronts;
};

std::vector<Recorded> read_recorded(const char* path) {
  std::ifstream file(path);
  std::string line;
  REQUIRE(std::getline(file, line));
  std::vector<Recorded> rows;
  while (std::getline(file, line)) {
    if (line.ends_with('\r')) line.pop_back();
    std::istringstream fields(line);
    Recorded row;
    std::string mask;
    std::string elements;
    std::getline(fields, row.instruction, ',');
    std::getline(fields, row.pattern, ',');
    std::getline(fields, mask, ',');
    std::getline(fields, elements, ',');
    std::getline(fields, row.requests, ',');
    std::getline(fields, row.sectors, ',');
    std::getline(fields, row.wavefronts, ',');
    row.mask = static_cast<std::uint32_t>(std::stoul(mask, nullptr, 16));
    std::istringstream numbers(elements);
    for (std::uint32_t element = 0; numbers >> element;) row.elements.push_back(element);
    rows.push_back(row);
  }
  return rows;
}

/// The memory instruction by the recording's name for it, and the bytes that a lane accesses.
const std::map<std::string, std::pair<std::string, int>>& instructions() {
  static const std::map<std::string, std::pair<std::string, int>> all{
      {"ldg8", {"ld.global.u8 %x, [%g];", 1}},
      {"ldg32", {"ld.global.u32 %x, [%g];", 4}},
      {"ldg64", {"ld.global.v2.u32 {%x, %y}, [%g];", 8}},
      {"ldg128", {"ld.global.v4.u32 {%x, %y, %z, %w}, [%g];", 16}},
      {"stg32", {"st.global.u32 [%g], %t;", 4}},
      {"stg64", {"st.global.v2.u32 [%g], {%t, %t};", 8}},
      {"stg128", {"st.global.v4.u32 [%g], {%t, %t, %t, %t};", 16}},
      {"redg32", {"red.global.add.u32 [%g], %t;", 4}},
      {"lds32", {"ld.shared.u32 %x, [%s];", 4}},
      {"lds64", {"ld.shared.v2.u32 {%x, %y}, [%s];", 8}},
      {"lds128", {"ld.shared.v4.u32 {%x, %y, %z, %w}, [%s];", 16}},
      {"sts32", {"st.shared.u32 [%s], %t;", 4}},
      {"sts64", {"st.shared.v2.u32 [%s], {%t, %t};", 8}},
      {"sts128", {"st.shared.v4.u32 [%s], {%t, %t, %t, %t};", 16}},
      {"atoms32", {"atom.shared.add.u32 %x, [%s], %t;", 4}},
      {"atoms_add_u32", {"atom.shared.add.u32 %x, [%s], %t;", 4}},
      {"atoms_add_u32_unused", {"red.shared.add.u32 [%s], %t;", 4}},
      {"atoms_inc_one", {"red.shared.add.u32 [%s], 1;", 4}},
      {"atoms_exch_b32", {"atom.shared.exch.b32 %x, [%s], %t;", 4}},
      {"atoms_cas_b32", {"atom.shared.cas.b32 %x, [%s], %t, 7;", 4}},
      {"atoms_max_s32", {"atom.shared.max.s32 %x, [%s], %t;", 4}},
      {"atoms_add_f32", {"red.shared.add.f32 [%s], 0f3f800000;", 4}},
      {"atoms_add_f16x2", {"red.shared.add.noftz.f16x2 [%s], %t;", 4}},
      {"atoms_add_u64", {"red.shared.add.u64 [%s], 1;", 8}},
      {"atoms_add_f64", {"red.shared.add.f64 [%s], 0d3ff0000000000000;", 8}},
      {"atoms_cas_b64", {"atom.shared.cas.b64 %o, [%s], 1, 5; cvt.u32.u64 %x, %o;", 8}},
      {"atoms_exch_b64", {"atom.shared.exch.b64 %o, [%s], 1; cvt.u32.u64 %x, %o;", 8}},
      {"sts_u8", {"st.shared.u8 [%s], %t;", 1}},
      {"sts_u16", {"st.shared.u16 [%s], %t;", 2}},
      {"ld_generic_shared", {"cvta.shared.u64 %g, %p2; ld.u32 %x, [%g];", 4}},
      {"st_generic_shared", {"cvta.shared.u64 %g, %p2; st.u32 [%g], %t;", 4}},
      {"atom_generic_shared", {"cvta.shared.u64 %g, %p2; atom.add.u32 %x, [%g], %t;", 4}},
      {"atomg_add_u32", {"atom.global.add.u32 %x, [%g], %t;", 4}},
      {"atomg_exch_b32", {"atom.global.exch.b32 %x, [%g], %t;", 4}},
      {"atomg_cas_b32", {"atom.global.cas.b32 %x, [%g], %t, 7;", 4}},
      {"atomg_max_s32", {"atom.global.max.s32 %x, [%g], %t;", 4}},
      {"atomg_add_f32", {"atom.global.add.f32 %f, [%g], 0f3f800000; mov.b32 %x, %f;", 4}},
      {"atomg_add_u64", {"atom.global.add.u64 %o, [%g], 1; cvt.u32.u64 %x, %o;", 8}},
      {"atomg_cas_b64", {"atom.global.cas.b64 %o, [%g], 1, 5; cvt.u32.u64 %x, %o;", 8}},
      {"atomg_add_f64", {"atom.global.add.f64 %d, [%g], 0d3ff0000000000000; mov.b64 {%x, %y}, %d;", 8}},
      {"redg_add_u32", {"red.global.add.u32 [%g], %t;", 4}},
      {"redg_add_f32", {"red.global.add.f32 [%g], 0f3f800000;", 4}},
      {"redg_add_f16x2", {"red.global.add.noftz.f16x2 [%g], %t;", 4}},
      {"redg_add_u64", {"red.global.add.u64 [%g], 1;", 8}},
      {"redg_add_f64", {"red.global.add.f64 [%g], 0d3ff0000000000000;", 8}},
      {"redg_add_v2f32", {"red.global.add.v2.f32 [%g], {%f, %f};", 8}},
      {"redg_add_v4f32", {"red.global.add.v4.f32 [%g], {%f, %f, %f, %f};", 16}},
      {"ldg_nc_32", {"ld.global.nc.u32 %x, [%g];", 4}},
      {"ldg_volatile_32", {"ld.volatile.global.u32 %x, [%g];", 4}},
      {"stg_u8", {"st.global.u8 [%g], %t;", 1}},
      {"ldgsts_ca_4", {"cp.async.ca.shared.global [%p2], [%g], 4;", 4}},
      {"ldgsts_ca_8", {"cp.async.ca.shared.global [%p2], [%g], 8;", 8}},
      {"ldgsts_ca_16", {"cp.async.ca.shared.global [%p2], [%g], 16;", 16}},
      {"ldgsts_cg_16", {"cp.async.cg.shared.global [%p2], [%g], 16;", 16}},
      {"ldmatrix_x1", {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [%s];", 16}},
      {"ldmatrix_x2", {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%x, %y}, [%s];", 16}},
      {"ldmatrix_x4", {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%x, %y, %z, %w}, [%s];", 16}},
      {"ldmatrix_x4_trans", {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%x, %y, %z, %w}, [%s];", 16}},
      {"stmatrix_x1", {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%s], {%t};", 16}},
      {"stmatrix_x2", {"stmatrix.sync.aligned.m8n8.x2.shared.b16 [%s], {%t, %t};", 16}},
      {"stmatrix_x4", {"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%s], {%t, %t, %t, %t};", 16}},
  };
  return all;
}

/// How the loads of an atomic that is a loop are named.
constexpr std::string_view loads = " loads";

/// The one case of the recording that no rule explains.
constexpr int unexplained = 1;

/// Counts all cases of a recording, and says which differ.
/// @return how many there are, and how many differ
std::pair<int, int> count_recorded(const char* path) {
  constexpr std::uint32_t most_elements = 4096;
  const Array memory(std::vector<std::uint32_t>(std::size_t{most_elements} * 4));
  int different = 0;
  int total = 0;
  for (const Recorded& row : read_recorded(path)) {
    const bool of_loads = row.instruction.ends_with(loads);
    const std::string name = row.instruction.substr(0, row.instruction.find(' '));
    const auto& [instruction, bytes] = instructions().at(name);
    const Array elements(row.elements);
    const std::string body =
        ".reg .b32 %x, %y, %z, %w, %s, %m, %e; .reg .b64 %g, %o; .reg .pred %q; .reg .f32 %f; .reg .f64 "
        "%d;\n.shared .align 16 .b8 "
        "words[65536];\n"
        "mul.wide.u32 %o, %t, 4; add.u64 %o, %o, %p0; ld.global.u32 %e, [%o];\n"
        "shl.b32 %m, 1, %t; and.b32 %m, %m, " +
        std::to_string(row.mask) + "; setp.eq.u32 %q, %m, 0;\nmul.lo.u32 %e, %e, " + std::to_string(bytes) +
        "; mov.u32 %s, words; add.u32 %s, %s, %e; cvt.u64.u32 %p2, %s;"
        " cvt.u64.u32 %g, %e; add.u64 %g, %g, %p1;\n@%q bra DONE;\n" +
        instruction + "\nmov.u32 %t, %x;\nDONE:";
    const Counted counted = run_body(body, {&elements, &memory}, {}, {32, 1, 1}, false, false);
    // The loads of an atomic that is a loop come behind it; so does what tells of local memory.
    const bool is_loop = counted.sites[counted.sites.size() - 2].counting == Counting::shared_swap;
    const bool is_generic = counted.sites.back().space == ptx::Space::local;
    const bool last_but_one = (is_loop && !of_loads) || is_generic;
    const SiteCount& count = counted.counts[counted.counts.size() - (last_but_one ? 2 : 1)];
    const bool global = row.wavefronts.empty();
    const std::string expected = global ? row.requests + '/' + row.sectors : row.wavefronts;
    const std::string got = global ? std::to_string(count.requests) + '/' + std::to_string(count.units)
                                   : std::to_string(count.units);
    ++total;
    if (got != expected) {
      ++different;
      MESSAGE(row.instruction, ' ', row.pattern, ": counted ", got, ", recorded ", expected);
    }
  }
  return {total, different};
}

}  // namespace

TEST_CASE("every recorded access is counted as Nsight Compute counted it") {
  const auto [total, different] = count_recorded(RECORDED_ACCESSES);
  CHECK(total > 900);
  CHECK(different <= unexplained);
}

TEST_CASE("atomics, asynchronous copies and matrices are counted as Nsight Compute counted them") {
  // Not in the recording: 64-bit additions of which lane 0's, of nothing, kept no later lane from its turn.
  const auto [total, different] = count_recorded(RECORDED_ATOMICS);
  CHECK(total > 440);
  CHECK(different == 0);
}

TEST_CASE("an instruction that no lane executes counts nothing") {
  const Array memory(std::vector<std::uint32_t>(32));
  const Counted counted = run_body(
      ".reg .b32 %x; .reg .pred %q; setp.eq.u32 %q, %t, 99; @%q ld.global.u32 %x, [%p0];", {&memory});
  REQUIRE(counted.counts.size() == 1);
  CHECK(counted.counts[0].requests == 0);
}

TEST_CASE("counts add up over warps, blocks and workers") {
  const Array memory(std::vector<std::uint32_t>(4096));
  const std::string body =
      ".reg .b32 %b, %x; .reg .b64 %o; mov.u32 %b, %ctaid.x; mad.lo.u32 %b, %b, 128, %t; mul.wide.u32 %o, "
      "%b, 4;\n"
      "add.u64 %o, %o, %p0; ld.global.u32 %x, [%o]; add.u32 %x, %x, 1; st.global.u32 [%o], %x;";
  const Counted counted = run_body(body, {&memory}, {32, 1, 1}, {128, 1, 1});
  REQUIRE(counted.counts.size() == 2);
  for (const SiteCount& count : counted.counts) {
    CHECK(count.requests == 32 * 4);
    CHECK(count.units == 32 * 4 * 4);
  }
  CHECK((memory.words() == std::vector<std::uint32_t>(4096, 1)));
}
