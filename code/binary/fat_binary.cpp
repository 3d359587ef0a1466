#include "binary/fat_binary.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "binary/bytes.hpp"
#include "binary/elf.hpp"
#include "binary/mapped_file.hpp"

namespace weft {
namespace {

constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::uint32_t linked_version = 2;  ///< of the wrapper
constexpr std::uint32_t header_magic = 0xBA55ED50;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint16_t kind_machine_code = 2;
constexpr std::uint64_t flag_lz4 = 0x2000;
constexpr std::uint64_t flag_zstd = 0x8000;
constexpr std::uint64_t flag_specific = 0x100000;

// Layouts as nvcc 12 and 13 write them; fields of unknown meaning are not read.

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const std::byte* fat_binary;
  const std::byte* const* units;  ///< of version 2: fat binaries of what was linked, up to a null pointer
};

struct Header {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;  ///< of the entries that follow
};
static_assert(sizeof(Header) == 16);

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t unknown_0;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;
  std::uint32_t compressed_bytes;
  std::uint32_t unknown_1[2];
  std::uint32_t architecture;
  std::uint32_t unknown_2[2];
  std::uint64_t flags;
  std::uint64_t unknown_3;
  std::uint64_t uncompressed_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

void check(const Header& header) {
  if (header.magic != header_magic) throw std::runtime_error("its fat binary starts with an unknown number");
  if (header.header_bytes < sizeof header) throw std::runtime_error("its fat binary has a damaged header");
}

FatBinaryEntry read_entry(const EntryHeader& header, std::span<const std::byte> payload) {
  using enum FatBinaryEntry::Kind;
  using enum FatBinaryEntry::Compression;
  const auto compression = (header.flags & flag_zstd) != 0  ? zstd
                           : (header.flags & flag_lz4) != 0 ? lz4
                                                            : none;
  if (compression != none) payload = part_of(payload, 0, header.compressed_bytes);
  return {header.kind == kind_ptx ? ptx : machine_code,
          static_cast<int>(header.architecture),
          (header.flags & flag_specific) != 0,
          compression,
          payload,
          compression == none ? payload.size() : header.uncompressed_bytes};
}

void read_entries(std::span<const std::byte> entries, std::vector<FatBinaryEntry>& found) {
  // [entries]
  for (std::uint64_t at = 0; at < entries.size();) {
    const auto header = read_at<EntryHeader>(entries, at);
    if (header.header_bytes < sizeof(EntryHeader))
      throw std::runtime_error("its fat binary has a damaged entry");
    const std::span<const std::byte> rest = part_of(entries, at, header.header_bytes);
    const auto payload = part_of(entries, at + rest.size(), header.payload_bytes);
    if (header.kind == kind_ptx || header.kind == kind_machine_code)
      found.push_back(read_entry(header, payload));
    at += header.header_bytes + header.payload_bytes;
  }
  // [entries]
}

/// A fat binary in memory, which knows its length.
std::span<const std::byte> fat_binary_at(const std::byte* start) {
  Header header{};
  std::memcpy(&header, start, sizeof header);
  check(header);
  return {start, header.header_bytes + header.bytes};
}

}  // namespace

std::vector<FatBinaryEntry> read_fat_binaries(std::span<const std::byte> bytes) {
  std::vector<FatBinaryEntry> found;
  constexpr std::uint64_t alignment = 8;
  for (std::uint64_t at = 0; at < bytes.size();) {
    if (std::ranges::all_of(bytes.subspan(at, std::min(alignment, bytes.size() - at)),
                            [](std::byte byte) { return byte == std::byte{}; })) {
      at += alignment;  // padding between fat binaries
      continue;
    }
    const auto header = read_at<Header>(bytes, at);
    check(header);
    const std::span<const std::byte> rest = part_of(bytes, at, header.header_bytes);
    read_entries(part_of(bytes, at + rest.size(), header.bytes), found);
    at += header.header_bytes + header.bytes;
  }
  return found;
}

std::string_view without_padding(std::string_view ptx) { return ptx.substr(0, ptx.find('\0')); }

RegisteredCode registered_code(const void* wrapper) {
  Wrapper found{};
  std::memcpy(&found, wrapper, offsetof(Wrapper, units));
  if (found.magic != wrapper_magic || found.fat_binary == nullptr)
    throw std::runtime_error("it registers its code for the GPU in an unknown way");
  RegisteredCode code{fat_binary_at(found.fat_binary), {}};
  if (found.version != linked_version) return code;
  std::memcpy(&found, wrapper, sizeof found);
  for (const auto* unit = found.units; unit != nullptr && *unit != nullptr; ++unit)
    code.units.push_back(fat_binary_at(*unit));
  return code;
}

DeviceCode device_code(std::span<const std::byte> section) {
  DeviceCode code;
  for (const FatBinaryEntry& entry : read_fat_binaries(section)) {
    if (entry.kind == FatBinaryEntry::Kind::machine_code) {
      code.machine_code.push_back(entry.architecture);
    } else if (entry.compression == FatBinaryEntry::Compression::none) {
      const auto* const text = reinterpret_cast<const char*>(entry.payload.data());
      code.ptx.push_back({entry.architecture, std::string(without_padding({text, entry.payload.size()}))});
    } else {
      throw std::runtime_error("its PTX is compressed: build it with nvcc's option --no-compress");
    }
  }
  return code;
}

DeviceCode read_device_code(const std::filesystem::path& program) try {
  const MappedFile file(program);
  const ElfFile elf(file.bytes());
  const ElfSection* const section = elf.find(".nv_fatbin");
  if (section == nullptr) throw std::runtime_error("it carries no code for a GPU (no section .nv_fatbin)");
  return device_code(section->contents);
} catch (const std::runtime_error& error) {
  throw std::runtime_error(program.string() + ": " + error.what());
}

}  // namespace weft
