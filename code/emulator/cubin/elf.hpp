#pragma once

/// @file
/// The sections of an ELF file of 64 bits, as ptxas writes them. Nothing in the file is trusted.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace weft::emulator {

/// A part of some bytes.
/// @throws Error if they end before it does
std::span<const std::byte> part_of(std::span<const std::byte> bytes, std::uint64_t offset,
                                   std::uint64_t size);

/// A value that lies somewhere in some bytes, at any alignment.
/// @throws Error if they end before it does
template <class T>
T read_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  T value{};
  std::memcpy(&value, part_of(bytes, offset, sizeof(T)).data(), sizeof(T));
  return value;
}

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t size = 0;               ///< in memory, in bytes
  std::span<const std::byte> contents;  ///< empty for a section that is all zeros
};

struct ElfSymbol {
  std::string_view name;
  std::uint16_t section = 0;
};

/// An ELF file. It points into the bytes that it was made of.
class ElfFile {
 public:
  /// @throws Error if it is none, or is damaged
  explicit ElfFile(std::span<const std::byte> bytes);

  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  [[nodiscard]] const std::vector<ElfSymbol>& symbols() const { return symbols_; }

  /// @return nullptr if there is no section of that name
  [[nodiscard]] const ElfSection* find(std::string_view name) const;

 private:
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

}  // namespace weft::emulator
