#include "emulator/fatbin/decompress.hpp"

#include <lz4.h>
#include <zstd.h>

#include <limits>
#include <utility>

#include "emulator/error.hpp"

namespace weft::emulator {
namespace {

/// A damaged size must not ask for all of the memory.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// The most that one compressed byte stands for: a block of zstd, of 4 bytes at least, repeats one for 128
/// KiB; LZ4 adds up to 255 to a length.
constexpr std::size_t zstd_expands = (std::size_t{128} << 10) / 4;
constexpr std::size_t lz4_expands = 255;

std::string room_for(std::size_t size, std::size_t compressed, std::size_t expands) {
  if (size > most_bytes || size > compressed * expands)
    throw Error("its fat binary is damaged: an entry claims more bytes than it can hold");
  return std::string(size, '\0');
}

}  // namespace

std::string decompress_zstd(std::span<const std::byte> data, std::size_t size) {
  std::string result = room_for(size, data.size(), zstd_expands);
  const std::size_t written = ZSTD_decompress(result.data(), result.size(), data.data(), data.size());
  if (ZSTD_isError(written) != 0 || written != size) {
    throw Error("its fat binary is damaged: an entry cannot be decompressed (zstd)");
  }
  return result;
}

std::string decompress_lz4(std::span<const std::byte> data, std::size_t size) {
  std::string result = room_for(size, data.size(), lz4_expands);
  if (data.size() > std::numeric_limits<int>::max())
    throw Error("its fat binary is damaged: an entry is too large");
  const int written = LZ4_decompress_safe(reinterpret_cast<const char*>(data.data()), result.data(),
                                          static_cast<int>(data.size()), static_cast<int>(result.size()));
  if (written < 0 || std::cmp_not_equal(written, size)) {
    throw Error("its fat binary is damaged: an entry cannot be decompressed (LZ4)");
  }
  return result;
}

}  // namespace weft::emulator
