#pragma once

/// @file
/// The code for the device that a program carries in its section `.nv_fatbin`.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace weft {

/// The PTX of one module.
struct PtxModule {
  int architecture;  ///< 90 for compute_90 and compute_90a
  std::string text;
};

/// The machine code of one module, an ELF file in itself.
struct MachineModule {
  int architecture;  ///< 90 for sm_90 and sm_90a
  std::vector<std::byte> image;
};

/// What fat binaries hold, in their order.
struct DeviceCode {
  std::vector<PtxModule> ptx;
  std::vector<MachineModule> machine_code;
};

/// Reads the fat binaries of a program or shared library.
/// @throws std::runtime_error if it is no 64-bit ELF file, is damaged, has no fat binary, or has compressed
/// PTX
DeviceCode read_device_code(const std::filesystem::path& program);

/// Reads the contents of a section `.nv_fatbin`.
/// @throws std::runtime_error if it is damaged or is compressed
DeviceCode parse_fat_binaries(std::span<const std::byte> section);

}  // namespace weft
