#include "emulator/program_file.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>

namespace weft::emulator {
namespace {

/// An ELF file. Whatever lies behind its end reads as zero: the loader will refuse such a file.
class Elf {
 public:
  explicit Elf(const std::filesystem::path& file) : stream_(file, std::ios::binary) {}

  template <class T>
  [[nodiscard]] T read(std::uint64_t offset) {
    T value{};
    seek(offset);
    stream_.read(reinterpret_cast<char*>(&value), sizeof value);
    return stream_ ? value : T{};
  }

  [[nodiscard]] std::string text(std::uint64_t offset) {
    std::string value;
    seek(offset);
    std::getline(stream_, value, '\0');
    return value;
  }

  [[nodiscard]] std::vector<Elf64_Shdr> sections() {
    const auto header = read<Elf64_Ehdr>(0);
    std::vector<Elf64_Shdr> all;
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
      return all;
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
      all.push_back(read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    }
    return all;
  }

 private:
  void seek(std::uint64_t offset) {
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
  }

  std::ifstream stream_;
};

}  // namespace

std::string ProgramFile::library(const std::string& start) const {
  for (const std::string& name : libraries) {
    if (name.starts_with(start)) return name;
  }
  return {};
}

ProgramFile look_into(const std::filesystem::path& file) {
  Elf elf(file);
  const std::vector<Elf64_Shdr> sections = elf.sections();
  const std::size_t names = elf.read<Elf64_Ehdr>(0).e_shstrndx;
  ProgramFile found;
  for (const Elf64_Shdr& section : sections) {
    if (names < sections.size() && elf.text(sections[names].sh_offset + section.sh_name) == ".nv_fatbin") {
      found.has_device_code = true;
    }
    if (section.sh_type != SHT_DYNAMIC || section.sh_link >= sections.size()) continue;
    for (std::uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Dyn)) {
      const auto entry = elf.read<Elf64_Dyn>(section.sh_offset + at);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) {
        found.libraries.push_back(elf.text(sections[section.sh_link].sh_offset + entry.d_un.d_val));
      }
    }
  }
  return found;
}

}  // namespace weft::emulator
