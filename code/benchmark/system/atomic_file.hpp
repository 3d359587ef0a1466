#pragma once

/// @file
/// Files that are whole or not there at all.

#include <filesystem>
#include <string_view>

namespace weft {

/// Writes beside, flushes to the disk and renames, so that a full disk or an interruption leaves the earlier
/// file as it was. Makes the folder if it is missing.
/// @throws std::runtime_error naming the file and the system's reason
void write_atomically(const std::filesystem::path& path, std::string_view content);

/// Makes a folder if it is missing, and finds out before any time is spent whether files can be made in it.
/// @throws std::runtime_error naming the folder and the system's reason
void require_writable(const std::filesystem::path& folder);

}  // namespace weft
