#include "binary/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

namespace weft {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts{};
  const void* place = MAP_FAILED;
  if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0)
    place = mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  if (file >= 0) close(file);
  if (place == MAP_FAILED) throw std::runtime_error("it cannot be read");
  bytes_ = {static_cast<const std::byte*>(place), static_cast<std::size_t>(facts.st_size)};
}

MappedFile::~MappedFile() { munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

}  // namespace weft
