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
  std::map<std::pair<int, bool>, std::vector<std::string>> texts;
  for (const std::span<const std::byte> unit : units) {
    for (Image& image : unpack(unit)) {
      if (image.kind == Image::Kind::ptx)
        texts[{image.architecture, image.specific}].push_back(std::move(image.contents));
    }
  }
  std::vector<Image> images;
  images.reserve(texts.size());
  for (const auto& [target, list] : texts) {
    images.push_back({Image::Kind::ptx, target.first, target.second, ptx::link(list)});
  }
  return images;
}

}  // namespace

std::vector<Image> unpack(std::span<const std::byte> fat_binary) {
  std::vector<Image> images;
  for (const FatBinaryEntry& entry : read_fat_binaries(fat_binary)) {
    std::string contents = contents_of(entry);
    if (entry.kind == Image::Kind::ptx) contents.resize(without_padding(contents).size());
    images.push_back({entry.kind, entry.architecture, entry.specific, std::move(contents)});
  }
  return images;
}

std::vector<Image> read_registered(const void* wrapper) {
  const RegisteredCode code = registered_code(wrapper);
  std::vector<Image> images = unpack(code.linked);
  for (Image& image : linked_ptx(code.units)) images.push_back(std::move(image));
  return images;
}

namespace {

/// The best of those images of a kind that a device can run.
const Image* best(const std::vector<Image>& images, Image::Kind kind, int architecture, auto runs) {
  const auto rank = [](const Image& image) { return std::pair(image.architecture, image.specific); };
  const Image* found = nullptr;
  for (const Image& image : images) {
    const bool fits = image.specific ? image.architecture == architecture : runs(image.architecture);
    if (image.kind == kind && fits && (found == nullptr || rank(image) > rank(*found))) found = &image;
  }
  return found;
}

}  // namespace

const Image* best_ptx(const std::vector<Image>& images, int architecture) {
  return best(images, Image::Kind::ptx, architecture, [&](int of) { return of <= architecture; });
}

const Image* best_machine_code(const std::vector<Image>& images, int architecture) {
  return best(images, Image::Kind::machine_code, architecture,
              [&](int of) { return of <= architecture && of / 10 == architecture / 10; });
}

}  // namespace weft::emulator
