#pragma once

/// @file
/// Kernels that nvcc compiled for the tests: tests/emulator/kernels.

#include <span>
#include <string>
#include <vector>

#include "binary/cubin.hpp"
#include "emulator/fatbin/images.hpp"
#include "emulator/load/program.hpp"

namespace weft::emulator {

/// The images of one file of kernels.
/// @param name its name, without folder and ending
/// @param lines whether it was compiled with -lineinfo
std::vector<Image> images_of(const std::string& name, bool lines);

/// The program that a fat binary stands for, as an H200 would take it.
Program program_of(const std::string& name, bool lines);

/// Its machine code alone.
Cubin cubin_of(const std::string& name, bool lines);

}  // namespace weft::emulator
