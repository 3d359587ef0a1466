#pragma once

/// @file
/// The two compressions that nvcc uses for what it embeds.

#include <cstddef>
#include <span>
#include <string>

namespace weft::emulator {

/// Undoes zstd, as nvcc 13 compresses.
/// @param size of the result, as the fat binary states it, in bytes
/// @throws Error if the data are damaged or of another size
std::string decompress_zstd(std::span<const std::byte> data, std::size_t size);

/// Undoes LZ4 (one block), as nvcc 12 compresses.
/// @param size of the result, as the fat binary states it, in bytes
/// @throws Error if the data are damaged or of another size
std::string decompress_lz4(std::span<const std::byte> data, std::size_t size);

}  // namespace weft::emulator
