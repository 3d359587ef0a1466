#include "emulator/cubin/elf.hpp"

#include <elf.h>

#include <algorithm>

#include "emulator/error.hpp"

namespace weft::emulator {
namespace {

/// The text that starts at an offset and ends with a zero byte.
std::string_view text_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) throw Error("a cubin's names are damaged");
  const std::string_view rest(reinterpret_cast<const char*>(bytes.data()) + offset, bytes.size() - offset);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) throw Error("a cubin's names are damaged");
  return rest.substr(0, end);
}

}  // namespace

std::span<const std::byte> part_of(std::span<const std::byte> bytes, std::uint64_t offset,
                                   std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) throw Error("a cubin is cut short");
  return bytes.subspan(offset, size);
}

ElfFile::ElfFile(std::span<const std::byte> bytes) {
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_shentsize != sizeof(Elf64_Shdr)) {
    throw Error("a cubin is no ELF file of 64 bits");
  }
  const auto table = part_of(bytes, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  std::vector<Elf64_Shdr> headers;
  headers.reserve(header.e_shnum);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i)
    headers.push_back(read_at<Elf64_Shdr>(table, i * sizeof(Elf64_Shdr)));
  const auto contents = [&](const Elf64_Shdr& section) {
    if (section.sh_type == SHT_NOBITS) return std::span<const std::byte>{};
    return part_of(bytes, section.sh_offset, section.sh_size);
  };
  if (header.e_shstrndx >= headers.size()) throw Error("a cubin's names are damaged");
  const auto names = contents(headers[header.e_shstrndx]);
  for (const Elf64_Shdr& section : headers) {
    sections_.push_back(
        {text_at(names, section.sh_name), section.sh_type, section.sh_size, contents(section)});
  }
  for (const Elf64_Shdr& section : headers) {
    if (section.sh_type != SHT_SYMTAB) continue;
    if (section.sh_link >= headers.size()) throw Error("a cubin's names are damaged");
    const auto symbol_names = contents(headers[section.sh_link]);
    const auto symbols = contents(section);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(symbols, at);
      symbols_.push_back({text_at(symbol_names, symbol.st_name), symbol.st_shndx});
    }
  }
}

const ElfSection* ElfFile::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

}  // namespace weft::emulator
