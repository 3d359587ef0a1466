#include "binary/fat_binary.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace weft {
namespace {

/// Layouts as nvcc 12 and 13 write them; the fields between those that are read have no published meaning.
struct FatBinaryHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;  ///< of the entries that follow
};

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;
  std::uint32_t compressed_bytes;
  std::uint32_t unknown[2];
  std::uint32_t architecture;
  std::uint32_t more_unknown[2];
  std::uint64_t flags;
};
static_assert(sizeof(EntryHeader) == 48);

constexpr std::uint32_t fat_binary_magic = 0xBA55ED50;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint16_t kind_machine_code = 2;
constexpr std::uint64_t flag_lz4 = 0x2000;
constexpr std::uint64_t flag_zstd = 0x8000;

/// A value at an offset; every access to the file goes through here.
template <typename T>
T at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) throw std::runtime_error("it is cut short");
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::span<const std::byte> part(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) throw std::runtime_error("it is cut short");
  return bytes.subspan(offset, size);
}

std::string text_of(std::span<const std::byte> payload) {
  const std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
  return text.substr(0, text.find('\0'));  // padded with zeros
}

std::span<const std::byte> fat_binary_section(std::span<const std::byte> file) {
  if (file.size() < sizeof(Elf64_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0 ||
      static_cast<unsigned char>(file[EI_CLASS]) != ELFCLASS64) {
    throw std::runtime_error("it is no 64-bit ELF file");
  }
  const auto header = at<Elf64_Ehdr>(file, 0);
  const auto section = [&](std::uint64_t i) {
    return at<Elf64_Shdr>(file, header.e_shoff + i * header.e_shentsize);
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  const std::span<const std::byte> name_bytes = part(file, names.sh_offset, names.sh_size);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr candidate = section(i);
    if (candidate.sh_name >= name_bytes.size()) throw std::runtime_error("a section's name lies outside");
    if (text_of(name_bytes.subspan(candidate.sh_name)) == ".nv_fatbin") {
      return part(file, candidate.sh_offset, candidate.sh_size);
    }
  }
  throw std::runtime_error("it carries no code for a GPU (no section .nv_fatbin)");
}

}  // namespace

DeviceCode parse_fat_binaries(std::span<const std::byte> section) {
  DeviceCode code;
  std::uint64_t offset = 0;
  while (offset + sizeof(FatBinaryHeader) <= section.size()) {
    const auto header = at<FatBinaryHeader>(section, offset);
    if (header.magic == 0) {  // padding between fat binaries
      offset += 8;
      continue;
    }
    if (header.magic != fat_binary_magic)
      throw std::runtime_error("its fat binary starts with an unknown number");
    const std::span<const std::byte> entries = part(section, offset + header.header_bytes, header.bytes);
    for (std::uint64_t entry_at = 0; entry_at < entries.size();) {
      const auto entry = at<EntryHeader>(entries, entry_at);
      if (entry.header_bytes < sizeof(EntryHeader))
        throw std::runtime_error("its fat binary has a damaged entry");
      const auto payload = part(entries, entry_at + entry.header_bytes, entry.payload_bytes);
      if ((entry.flags & (flag_lz4 | flag_zstd)) != 0) {
        throw std::runtime_error("its fat binary is compressed: build it with nvcc's option --no-compress");
      }
      const int architecture = static_cast<int>(entry.architecture);
      if (entry.kind == kind_ptx) code.ptx.push_back({architecture, text_of(payload)});
      if (entry.kind == kind_machine_code) {
        code.machine_code.push_back({architecture, {payload.begin(), payload.end()}});
      }
      entry_at += entry.header_bytes + entry.payload_bytes;
    }
    offset += header.header_bytes + header.bytes;
  }
  return code;
}

DeviceCode read_device_code(const std::filesystem::path& program) {
  std::ifstream stream(program, std::ios::binary);
  std::vector<char> file(std::istreambuf_iterator<char>(stream), {});
  try {
    if (!stream) throw std::runtime_error("it cannot be read");
    return parse_fat_binaries(fat_binary_section(std::as_bytes(std::span(file))));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(program.string() + ": " + error.what());
  }
}

}  // namespace weft
