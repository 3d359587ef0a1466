#pragma once

/// @file
/// The code for the device that a program carries: PTX or machine code, each for one architecture.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "binary/fat_binary.hpp"

namespace weft::emulator {

/// One entry of a fat binary, unpacked.
struct Image {
  using Kind = FatBinaryEntry::Kind;
  Kind kind;
  int architecture;  ///< 90 for compute_90, sm_90, compute_90a and sm_90a
  bool specific;     ///< compute_90a or sm_90a, which no other architecture can run
  std::string contents;
};

/// Unpacks fat binaries that lie one behind the other.
/// @throws std::runtime_error if they are damaged
std::vector<Image> unpack(std::span<const std::byte> fat_binary);

/// Reads the fat binary that a program registers, through the wrapper that nvcc's host code hands over.
/// @param wrapper as `__cudaRegisterFatBinary` gets it
/// @throws std::runtime_error if it is no wrapper of a fat binary, or if that is damaged
std::vector<Image> read_registered(const void* wrapper);

/// The PTX that suits a device best: made for its architecture alone, or else of the highest architecture
/// that does not exceed the device's.
/// @return nullptr if there is none
const Image* best_ptx(const std::vector<Image>& images, int architecture);

/// The machine code that a device would run: made for its architecture alone, or else of the same major
/// architecture, and the highest that does not exceed the device's.
/// @return nullptr if there is none
const Image* best_machine_code(const std::vector<Image>& images, int architecture);

}  // namespace weft::emulator
