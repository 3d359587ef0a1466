#pragma once

/// @file
/// Code for the device as nvcc embeds it: fat binaries, each a list of entries, which are PTX or machine code
/// for one architecture.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// One entry of a fat binary, as it lies there.
struct FatBinaryEntry {
  enum class Kind : std::uint8_t { ptx, machine_code };
  enum class Compression : std::uint8_t { none, lz4, zstd };
  Kind kind = Kind::ptx;
  int architecture = 0;   ///< 90 for compute_90, sm_90, compute_90a and sm_90a
  bool specific = false;  ///< for that architecture alone: compute_90a, sm_90a
  Compression compression = Compression::none;
  std::span<const std::byte> payload;
  std::uint64_t bytes = 0;  ///< once it is unpacked
};

/// Reads fat binaries that lie one behind the other, as in a section `.nv_fatbin`.
/// @throws std::runtime_error if they are damaged
std::vector<FatBinaryEntry> read_fat_binaries(std::span<const std::byte> bytes);

/// A PTX text without the zeros that fill up its entry.
std::string_view without_padding(std::string_view ptx);

/// The fat binaries behind the wrapper that nvcc's host code registers.
struct RegisteredCode {
  std::span<const std::byte> linked;              ///< what the program was linked to
  std::vector<std::span<const std::byte>> units;  ///< what it was linked of, if it was compiled in units
};

/// @param wrapper as `__cudaRegisterFatBinary` gets it
/// @throws std::runtime_error if it is no wrapper of a fat binary
RegisteredCode registered_code(const void* wrapper);

/// The PTX of one module.
struct PtxModule {
  int architecture;  ///< 90 for compute_90 and compute_90a
  std::string text;
};

/// The code for the device that a program carries, in its order.
struct DeviceCode {
  std::vector<PtxModule> ptx;
  std::vector<int> machine_code;  ///< the architecture of each module, 90 for sm_90 and sm_90a
};

/// Reads the contents of a section `.nv_fatbin`.
/// @throws std::runtime_error if it is damaged or has compressed PTX
DeviceCode device_code(std::span<const std::byte> section);

/// The same of a program or shared library.
/// @throws std::runtime_error also if it is no 64-bit ELF file, or has no such section
DeviceCode read_device_code(const std::filesystem::path& program);

}  // namespace weft
