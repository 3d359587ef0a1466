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

std::string room_for(std::size_t size) {
  if (size > most_bytes) throw Error("its fat binary is damaged: an entry claims more than 1 GiB");
  return std::string(size, '\0');
}

}  // namespace

std::string decompress_zstd(std::span<const std::byte> data, std::size_t size) {
  std::string result = room_for(size);
  const std::size_t written = ZSTD_decompress(result.data(), result.size(), data.data(), data.size());
  if (ZSTD_isError(written) != 0 || written != size) {
    throw Error("its fat binary is damaged: an entry cannot be decompressed (zstd)");
  }
  return result;
}

std::string decompress_lz4(std::span<const std::byte> data, std::size_t size) {
  std::string result = room_for(size);
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
