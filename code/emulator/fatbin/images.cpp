#include "emulator/fatbin/images.hpp"

#include <map>
#include <utility>

#include "emulator/fatbin/decompress.hpp"
#include "emulator/ptx/link.hpp"

namespace weft::emulator {
namespace {

std::string contents_of(const FatBinaryEntry& entry) {
  switch (entry.compression) {
    case FatBinaryEntry::Compression::zstd:
      return decompress_zstd(entry.payload, entry.bytes);
    case FatBinaryEntry::Compression::lz4:
      return decompress_lz4(entry.payload, entry.bytes);
    default:
      return {reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size()};
  }
}

/// The PTX of separately compiled units, which the linker leaves apart, as one for each architecture. Units
/// without any, such as those of libraries, are left out.
std::vector<Image> linked_ptx(const std::vector<std::span<const std::byte>>& units) {
  std::map<int, std::vector<std::string>> texts;
  for (const std::span<const std::byte> unit : units) {
    for (Image& image : unpack(unit)) {
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

std::vector<Image> unpack(std::span<const std::byte> fat_binary) {
  std::vector<Image> images;
  for (const FatBinaryEntry& entry : read_fat_binaries(fat_binary)) {
    std::string contents = contents_of(entry);
    if (entry.kind == Image::Kind::ptx) contents.resize(without_padding(contents).size());
    images.push_back({entry.kind, entry.architecture, std::move(contents)});
  }
  return images;
}

std::vector<Image> read_registered(const void* wrapper) {
  const RegisteredCode code = registered_code(wrapper);
  std::vector<Image> images = unpack(code.linked);
  for (Image& image : linked_ptx(code.units)) images.push_back(std::move(image));
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
