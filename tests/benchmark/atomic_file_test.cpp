#include "benchmark/system/atomic_file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "benchmark/system/process.hpp"

namespace {

namespace fs = std::filesystem;

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

}  // namespace

TEST_CASE("a file is written, its folder made, and nothing else left") {
  const weft::TemporaryFolder folder;
  const fs::path file = folder.path() / "a folder" / "chapter6.json";
  weft::write_atomically(file, "first");
  weft::write_atomically(file, "second");
  CHECK(weft::read_text(file) == "second");
  CHECK(files_in(file.parent_path()) == 1);
}

TEST_CASE("a full disk leaves the earlier file whole") {
  const weft::TemporaryFolder folder;
  const fs::path file = folder.path() / "chapter6.json";
  weft::write_atomically(file, "earlier");

  // A limit on the size of files makes write() stop in the middle, as a full disk does.
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
      weft::write_atomically(file, std::string(100000, 'x'));
    } catch (const std::runtime_error& error) {
      const std::string message = error.what();
      const bool clear = message.starts_with(file.string()) && message.find("unchanged") != std::string::npos;
      _exit(clear ? 0 : 2);
    }
    _exit(1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(weft::read_text(file) == "earlier");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a folder that cannot be made is named") {
  const weft::TemporaryFolder folder;
  weft::write_atomically(folder.path() / "file", "");
  CHECK_THROWS_AS(weft::write_atomically(folder.path() / "file" / "chapter6.json", "x"), std::runtime_error);
  CHECK_THROWS_AS(weft::require_writable(folder.path() / "file" / "nvidia-h200"), std::runtime_error);
}
