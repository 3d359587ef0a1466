#include "binary/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "binary/bytes.hpp"
#include "binary/elf.hpp"
#include "binary/line_table.hpp"

namespace weft {
namespace {

constexpr std::string_view text_prefix = ".text.";
constexpr std::string_view shared_prefix = ".nv.shared.";
constexpr std::string_view info_prefix = ".nv.info.";
constexpr std::uint64_t system_shared_bytes = 1024;  // of each block, from sm_90 on counted with its own

/// Attributes in `.nv.info` sections.
enum Attribute : std::uint8_t { max_threads = 0x05, frame_size = 0x11, register_count = 0x2f };

/// Calls `visit(attribute, value)` for each attribute that has a value of several bytes.
void each_attribute(std::span<const std::byte> info, auto visit) {
  constexpr std::uint8_t format_sized = 4;
  for (std::uint64_t at = 0; at < info.size();) {
    const auto format = read_at<std::uint8_t>(info, at);
    const auto attribute = read_at<std::uint8_t>(info, at + 1);
    const auto size_or_value = read_at<std::uint16_t>(info, at + 2);
    at += 4;
    if (format != format_sized) continue;
    visit(attribute, part_of(info, at, size_or_value));
    at += size_or_value;
  }
}

std::string_view after(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view{};
}

MachineFunction* find_function(Cubin& cubin, std::string_view name) {
  const auto found = cubin.functions.find(name);
  return found == cubin.functions.end() ? nullptr : &found->second;
}

/// The module's attributes name their functions by their symbols' numbers.
void read_module_info(Cubin& cubin, const std::vector<ElfSymbol>& symbols, std::span<const std::byte> info) {
  each_attribute(info, [&](std::uint8_t attribute, std::span<const std::byte> value) {
    if (attribute != register_count && attribute != frame_size) return;
    const auto symbol = read_at<std::uint32_t>(value, 0);
    const auto number = read_at<std::uint32_t>(value, 4);
    if (symbol >= symbols.size()) throw std::runtime_error("its attributes name no function");
    MachineFunction* const function = find_function(cubin, symbols[symbol].name);
    if (function == nullptr) return;
    if (attribute == register_count) {
      function->registers = static_cast<int>(number & 0xffff);
    } else {
      function->frame_bytes = number;
    }
  });
}

void read_function_info(MachineFunction& function, std::span<const std::byte> info) {
  each_attribute(info, [&](std::uint8_t attribute, std::span<const std::byte> value) {
    if (attribute != max_threads) return;
    std::uint64_t threads = 1;
    for (std::uint64_t i = 0; i < 3; ++i) {
      threads = std::min<std::uint64_t>(threads * read_at<std::uint32_t>(value, 4 * i), 1 << 16);
    }
    function.most_threads = static_cast<int>(threads);
  });
}

void read_code(MachineFunction& function, std::span<const std::byte> code) {
  for (std::uint64_t at = 0; at + machine_instruction_bytes <= code.size(); at += machine_instruction_bytes) {
    const auto bytes = code.subspan(at).first<machine_instruction_bytes>();
    if (const auto instruction = decode_machine(bytes)) function.accesses.push_back({*instruction, at, 0});
  }
}

/// Tells each memory instruction its line of the PTX. Which function a sequence of the table belongs to is
/// said by the relocation of its start address; from compute capability 9.0 on, relocations have addends.
void read_lines(Cubin& cubin, const ElfFile& file, const std::vector<ElfSymbol>& symbols) {
  const ElfSection* const table = file.find(".nv_debug_line_sass");
  const ElfSection* const with_addends = file.find(".rela.nv_debug_line_sass");
  const ElfSection* const relocations =
      with_addends != nullptr ? with_addends : file.find(".rel.nv_debug_line_sass");
  if (table == nullptr || relocations == nullptr) return;
  const std::uint64_t entry_bytes = with_addends != nullptr ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  const std::vector<LineSequence> sequences = read_line_table(table->contents);
  const auto entries = relocations->contents;
  for (std::uint64_t at = 0; at + entry_bytes <= entries.size(); at += entry_bytes) {
    const auto relocation = read_at<Elf64_Rel>(entries, at);  // an addend would come last
    const std::uint64_t symbol = ELF64_R_SYM(relocation.r_info);
    if (symbol >= symbols.size()) throw std::runtime_error("its line table names no function");
    const std::uint16_t section = symbols[symbol].section;
    if (section >= file.sections().size()) throw std::runtime_error("its line table names no function");
    MachineFunction* const function = find_function(cubin, after(file.sections()[section].name, text_prefix));
    const auto sequence = std::ranges::find(sequences, relocation.r_offset, &LineSequence::place);
    if (function == nullptr || sequence == sequences.end()) continue;
    for (MachineAccess& access : function->accesses)
      access.ptx_line = line_at(sequence->rows, access.address);
  }
}

}  // namespace

const MachineFunction* Cubin::find(std::string_view name) const {
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : &found->second;
}

void Cubin::forget_lines() {
  for (auto& [name, function] : functions) {
    for (MachineAccess& access : function.accesses) access.ptx_line = 0;
  }
}

Cubin read_cubin(std::span<const std::byte> bytes, int architecture) {
  const ElfFile file(bytes);
  const std::vector<ElfSymbol> symbols = file.symbols();
  Cubin cubin;
  cubin.architecture = architecture;
  for (const ElfSection& section : file.sections()) {
    const std::string_view name = after(section.name, text_prefix);
    if (section.type == SHT_PROGBITS && !name.empty())
      read_code(cubin.functions[std::string(name)], section.contents);
  }
  const ElfSection* const constants = file.find(".nv.constant3");
  const bool system_share = architecture >= 90;
  for (const ElfSection& section : file.sections()) {
    if (section.name == ".nv.info") read_module_info(cubin, symbols, section.contents);
    if (auto* const function = find_function(cubin, after(section.name, info_prefix)))
      read_function_info(*function, section.contents);
    if (auto* const function = find_function(cubin, after(section.name, shared_prefix))) {
      const std::uint64_t system = system_share ? std::min(section.size, system_shared_bytes) : 0;
      function->shared_bytes = section.size - system;
    }
  }
  for (auto& [name, function] : cubin.functions)
    function.constant_bytes = constants != nullptr ? constants->size : 0;
  read_lines(cubin, file, symbols);
  return cubin;
}

}  // namespace weft
