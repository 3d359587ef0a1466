#include "benchmark/system/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace weft {
namespace {

/// A file beside its target, gone again unless it was kept.
class Draft {
 public:
  explicit Draft(const std::filesystem::path& target)
      : name_(target.string() + ".XXXXXX"), descriptor_(mkstemp(name_.data())) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!kept_) unlink(name_.c_str());
  }

  /// Whether every byte arrived; errno tells why not.
  bool write(std::string_view content) {
    if (descriptor_ < 0) return false;
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    return fchmod(descriptor_, readable_by_all) == 0 && fsync(descriptor_) == 0;
  }

  bool rename_to(const std::filesystem::path& target) {
    kept_ = rename(name_.c_str(), target.c_str()) == 0;
    return kept_;
  }

 private:
  static constexpr mode_t readable_by_all = 0644;

  std::string name_;
  int descriptor_;
  bool kept_ = false;
};

}  // namespace

void write_atomically(const std::filesystem::path& path, std::string_view content) {
  std::error_code failure;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failure);
  if (!failure) {
    Draft draft(path);
    if (draft.write(content) && draft.rename_to(path)) return;
    failure.assign(errno, std::generic_category());
  }
  throw std::runtime_error(path.string() + " could not be written (" + failure.message() +
                           "); what was there is unchanged");
}

void require_writable(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure && access(folder.c_str(), W_OK | X_OK) != 0) failure.assign(errno, std::generic_category());
  if (failure) throw std::runtime_error(folder.string() + " cannot be written (" + failure.message() + ")");
}

}  // namespace weft
