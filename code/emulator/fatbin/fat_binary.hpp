#pragma once

/// @file
/// Code for the device as nvcc embeds it: a list of images, each PTX or machine code for one architecture.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::emulator {

/// One entry of a fat binary, uncompressed.
struct Image {
  enum class Kind : std::uint8_t { ptx, machine_code };
  Kind kind;
  int architecture;  ///< 90 for compute_90, sm_90, compute_90a and sm_90a
  std::string contents;
};

/// Reads one fat binary, from its header to the end of its last entry.
/// @throws Error if it is damaged
std::vector<Image> read_fat_binary(std::span<const std::byte> bytes);

/// Reads the fat binary that a program registers, through the wrapper that nvcc's host code hands over.
/// @param wrapper as `__cudaRegisterFatBinary` gets it
/// @throws Error if it is no wrapper of a fat binary, or if that is damaged
std::vector<Image> read_registered(const void* wrapper);

/// The PTX that suits a device best: of the highest architecture that does not exceed the device's.
/// @return nullptr if there is none
const Image* best_ptx(const std::vector<Image>& images, int architecture);

/// The machine code that a device would run: of the same major architecture, and the highest that does not
/// exceed the device's.
/// @return nullptr if there is none
const Image* best_machine_code(const std::vector<Image>& images, int architecture);

}  // namespace weft::emulator
