#include "emulator/fatbin/fat_binary.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>

#include "emulator/error.hpp"
#include "emulator/fatbin/decompress.hpp"
#include "emulator/ptx/link.hpp"

namespace weft::emulator {
namespace {

constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::uint32_t linked_version = 2;  ///< of the wrapper
constexpr std::uint32_t header_magic = 0xBA55ED50;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint16_t kind_machine_code = 2;
constexpr std::uint64_t flag_lz4 = 0x2000;
constexpr std::uint64_t flag_zstd = 0x8000;

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

/// The fields of unknown meaning are not read.
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

/// Everything that is read from a fat binary passes here.
std::span<const std::byte> part(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) throw Error("its fat binary is cut short");
  return bytes.subspan(offset, size);
}

template <class T>
T read(std::span<const std::byte> bytes, std::uint64_t offset) {
  T value{};
  std::memcpy(&value, part(bytes, offset, sizeof(T)).data(), sizeof(T));
  return value;
}

std::string contents_of(const EntryHeader& entry, std::span<const std::byte> payload) {
  if ((entry.flags & flag_zstd) != 0) {
    return decompress_zstd(part(payload, 0, entry.compressed_bytes), entry.uncompressed_bytes);
  }
  if ((entry.flags & flag_lz4) != 0) {
    return decompress_lz4(part(payload, 0, entry.compressed_bytes), entry.uncompressed_bytes);
  }
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

/// A fat binary in memory, which knows its length.
std::vector<Image> read_at(const std::byte* start) {
  Header header{};
  std::memcpy(&header, start, sizeof header);
  if (header.magic != header_magic) throw Error("its fat binary starts with an unknown number");
  return read_fat_binary({start, header.header_bytes + header.bytes});
}

/// The PTX of separately compiled units, which the linker leaves apart, as one for each architecture. Units
/// without any, such as those of libraries, are left out.
std::vector<Image> linked_ptx(const std::byte* const* units) {
  std::map<int, std::vector<std::string>> texts;
  for (; units != nullptr && *units != nullptr; ++units) {
    for (Image& image : read_at(*units)) {
      if (image.kind == Image::Kind::ptx) texts[image.architecture].push_back(std::move(image.contents));
    }
  }
  std::vector<Image> images;
  images.reserve(texts.size());
  for (const auto& [architecture, list] : texts) {
    images.push_back({Image::Kind::ptx, architecture, ptx::link(list)});
  }
  return images;
}

}  // namespace

std::vector<Image> read_fat_binary(std::span<const std::byte> bytes) {
  const auto header = read<Header>(bytes, 0);
  if (header.magic != header_magic) throw Error("its fat binary starts with an unknown number");
  const std::span<const std::byte> entries = part(bytes, header.header_bytes, header.bytes);
  std::vector<Image> images;
  // [entries]
  for (std::uint64_t at = 0; at < entries.size();) {
    const auto entry = read<EntryHeader>(entries, at);
    if (entry.header_bytes < sizeof(EntryHeader)) throw Error("its fat binary has a damaged entry");
    const std::span<const std::byte> rest = part(entries, at, entry.header_bytes);
    const auto payload = part(entries, at + rest.size(), entry.payload_bytes);
    if (entry.kind == kind_ptx || entry.kind == kind_machine_code) {
      std::string contents = contents_of(entry, payload);
      if (entry.kind == kind_ptx) contents.erase(std::min(contents.find('\0'), contents.size()));  // padding
      images.push_back({entry.kind == kind_ptx ? Image::Kind::ptx : Image::Kind::machine_code,
                        static_cast<int>(entry.architecture), std::move(contents)});
    }
    at += entry.header_bytes + entry.payload_bytes;
  }
  // [entries]
  return images;
}

std::vector<Image> read_registered(const void* wrapper) {
  Wrapper found{};
  std::memcpy(&found, wrapper, offsetof(Wrapper, units));
  if (found.magic != wrapper_magic || found.fat_binary == nullptr) {
    throw Error("it registers its code for the GPU in an unknown way");
  }
  std::vector<Image> images = read_at(found.fat_binary);
  if (found.version == linked_version) {
    std::memcpy(&found, wrapper, sizeof found);
    for (Image& image : linked_ptx(found.units)) images.push_back(std::move(image));
  }
  return images;
}

const Image* best_ptx(const std::vector<Image>& images, int architecture) {
  const Image* best = nullptr;
  for (const Image& image : images) {
    if (image.kind != Image::Kind::ptx || image.architecture > architecture) continue;
    if (best == nullptr || image.architecture > best->architecture) best = &image;
  }
  return best;
}

const Image* best_machine_code(const std::vector<Image>& images, int architecture) {
  const Image* best = nullptr;
  for (const Image& image : images) {
    if (image.kind != Image::Kind::machine_code || image.architecture > architecture) continue;
    if (image.architecture / 10 != architecture / 10) continue;
    if (best == nullptr || image.architecture > best->architecture) best = &image;
  }
  return best;
}

}  // namespace weft::emulator
