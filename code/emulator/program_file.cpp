#include "emulator/program_file.hpp"

#include <stdexcept>

#include "binary/elf.hpp"
#include "binary/mapped_file.hpp"

namespace weft::emulator {

std::string ProgramFile::library(const std::string& start) const {
  for (const std::string& name : libraries) {
    if (name.starts_with(start)) return name;
  }
  return {};
}

ProgramFile look_into(const std::filesystem::path& path) try {
  const MappedFile file(path);
  const ElfFile elf(file.bytes());
  return {elf.needed_libraries(), elf.find(".nv_fatbin") != nullptr};
} catch (const std::runtime_error&) {
  return {};  // a script, or a damaged program: the loader will say so
}

}  // namespace weft::emulator
