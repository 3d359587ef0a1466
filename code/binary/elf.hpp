#pragma once

/// @file
/// The sections of an ELF file of 64 bits. Nothing in the file is trusted.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint32_t link = 0;               ///< the section of its names
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
  /// @throws std::runtime_error if it is none, or is damaged
  explicit ElfFile(std::span<const std::byte> bytes);

  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }

  /// @return nullptr if there is no section of that name
  [[nodiscard]] const ElfSection* find(std::string_view name) const;

  /// Its symbols, by their numbers.
  /// @throws std::runtime_error if they are damaged
  [[nodiscard]] std::vector<ElfSymbol> symbols() const;

  /// The libraries that it asks the loader for.
  /// @throws std::runtime_error if their list is damaged
  [[nodiscard]] std::vector<std::string> needed_libraries() const;

 private:
  [[nodiscard]] std::span<const std::byte> names_of(const ElfSection& section) const;

  std::vector<ElfSection> sections_;
};

}  // namespace weft
