#include "recorder/kernels.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "model/occupancy.hpp"

namespace weft::recorder {
namespace {

/// `.nv.info` is a list of records {u8 format, u8 attribute, u16 size or value}, the sized ones followed by
/// that many bytes. The register counts have the payload {u32 symbol, u32 count}.
constexpr std::uint8_t format_sized = 4;
constexpr std::uint8_t attribute_register_count = 0x2F;

template <typename T>
T at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    throw std::runtime_error("machine code is cut short");
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::span<const std::byte> contents(std::span<const std::byte> file, const Elf64_Shdr& section) {
  if (section.sh_offset > file.size() || file.size() - section.sh_offset < section.sh_size) {
    throw std::runtime_error("machine code is cut short");
  }
  return file.subspan(section.sh_offset, section.sh_size);
}

std::string text_at(std::span<const std::byte> strings, std::uint64_t offset) {
  if (offset >= strings.size()) throw std::runtime_error("machine code has a name outside its strings");
  const auto* const text = reinterpret_cast<const char*>(strings.data() + offset);
  return {text, strnlen(text, strings.size() - offset)};
}

}  // namespace

std::map<std::string, Resources> read_resources(std::span<const std::byte> image) {
  const auto header = at<Elf64_Ehdr>(image, 0);
  std::vector<Elf64_Shdr> sections;
  sections.reserve(header.e_shnum);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    sections.push_back(at<Elf64_Shdr>(image, header.e_shoff + i * header.e_shentsize));
  }
  if (header.e_shstrndx >= sections.size()) throw std::runtime_error("machine code has no section names");
  const auto names = contents(image, sections[header.e_shstrndx]);
  std::map<std::string, Resources> kernels;
  const std::string shared = ".nv.shared.";
  constexpr std::int64_t reserved = model::device_limits(9, 0).shared_reserved;
  for (const Elf64_Shdr& section : sections) {
    const std::string name = text_at(names, section.sh_name);
    if (name.starts_with(shared)) {
      // The section starts with what the system keeps for itself.
      kernels[name.substr(shared.size())].static_shared =
          std::max(std::int64_t{0}, static_cast<std::int64_t>(section.sh_size) - reserved);
    }
    if (name != ".nv.info") continue;
    const Elf64_Shdr symbols = sections.at(section.sh_link);
    const auto symbol_bytes = contents(image, symbols);
    const auto symbol_names = contents(image, sections.at(symbols.sh_link));
    const auto records = contents(image, section);
    for (std::uint64_t offset = 0; offset + 4 <= records.size();) {
      const auto format = at<std::uint8_t>(records, offset);
      const auto attribute = at<std::uint8_t>(records, offset + 1);
      const auto size = at<std::uint16_t>(records, offset + 2);
      if (format == format_sized && attribute == attribute_register_count) {
        const auto symbol =
            at<Elf64_Sym>(symbol_bytes, at<std::uint32_t>(records, offset + 4) * sizeof(Elf64_Sym));
        kernels[text_at(symbol_names, symbol.st_name)].registers = at<std::int32_t>(records, offset + 8);
      }
      offset += 4U + (format == format_sized ? size : 0U);
    }
  }
  return kernels;
}

}  // namespace weft::recorder
