#pragma once

/// @file
/// What kernels print. As CUDA does, it is kept until the program waits for the device.

#include <string>

namespace weft::emulator {

/// Keeps what a kernel printed.
void keep_output(const std::string& text);

/// Writes it to the standard output stream.
void flush_output();

}  // namespace weft::emulator
