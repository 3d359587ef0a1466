#include "binary/elf.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "binary/bytes.hpp"

namespace weft {

ElfFile::ElfFile(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr)) throw std::runtime_error("it is no 64-bit ELF file");
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_shentsize != sizeof(Elf64_Shdr)) {
    throw std::runtime_error("it is no 64-bit ELF file");
  }
  std::vector<Elf64_Shdr> headers;
  headers.reserve(header.e_shnum);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i)
    headers.push_back(read_at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr)));
  const auto contents = [&](const Elf64_Shdr& section) {
    if (section.sh_type == SHT_NOBITS) return std::span<const std::byte>{};
    return part_of(bytes, section.sh_offset, section.sh_size);
  };
  if (header.e_shstrndx >= headers.size()) throw std::runtime_error("its sections have no names");
  const auto names = contents(headers[header.e_shstrndx]);
  for (const Elf64_Shdr& section : headers) {
    sections_.push_back({text_at(names, section.sh_name), section.sh_type, section.sh_link, section.sh_size,
                         contents(section)});
  }
}

const ElfSection* ElfFile::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

std::span<const std::byte> ElfFile::names_of(const ElfSection& section) const {
  if (section.link >= sections_.size()) throw std::runtime_error("a section of it has no names");
  return sections_[section.link].contents;
}

std::vector<ElfSymbol> ElfFile::symbols() const {
  std::vector<ElfSymbol> found;
  for (const ElfSection& section : sections_) {
    if (section.type != SHT_SYMTAB) continue;
    const auto names = names_of(section);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.contents.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(section.contents, at);
      found.push_back({text_at(names, symbol.st_name), symbol.st_shndx});
    }
  }
  return found;
}

std::vector<std::string> ElfFile::needed_libraries() const {
  std::vector<std::string> found;
  for (const ElfSection& section : sections_) {
    if (section.type != SHT_DYNAMIC) continue;
    const auto names = names_of(section);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.contents.size(); at += sizeof(Elf64_Dyn)) {
      const auto entry = read_at<Elf64_Dyn>(section.contents, at);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) found.emplace_back(text_at(names, entry.d_un.d_val));
    }
  }
  return found;
}

}  // namespace weft
