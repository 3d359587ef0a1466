#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace weft {

/// The contents of a file, as they are when something looks at them.
class MappedFile {
 public:
  /// @throws std::runtime_error if it cannot be read
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace weft
