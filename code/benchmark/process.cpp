#include "benchmark/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

namespace weft {
namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t child = 0;  // the process group that run() waits for

void interrupt(int /*signal*/) {
  interrupted = 1;
  if (child != 0) kill(-child, SIGTERM);
}

void check(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

/// The settings of one start: a process group of its own, default signals, no input, output where it is
/// wanted.
class Settings {
 public:
  explicit Settings(const std::optional<std::filesystem::path>& output) {
    check(posix_spawn_file_actions_init(&files_), "posix_spawn");
    check(posix_spawnattr_init(&attributes_), "posix_spawn");
    check(posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0), "posix_spawn");
    if (output) {
      const int flags = O_WRONLY | O_CREAT | O_TRUNC;
      check(posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, output->c_str(), flags, 0644),
            "posix_spawn");
    }
    check(posix_spawn_file_actions_adddup2(&files_, STDERR_FILENO, STDOUT_FILENO), "posix_spawn");
    sigset_t none;
    sigset_t handled;
    sigemptyset(&none);
    sigemptyset(&handled);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&handled, signal);
    check(posix_spawnattr_setsigmask(&attributes_, &none), "posix_spawn");
    check(posix_spawnattr_setsigdefault(&attributes_, &handled), "posix_spawn");
    check(posix_spawnattr_setpgroup(&attributes_, 0), "posix_spawn");
    check(posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK),
          "posix_spawn");
  }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;
  ~Settings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }

  pid_t start(const std::vector<std::string>& command) const {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    pid_t pid = 0;
    check(posix_spawnp(&pid, arguments.front(), &files_, &attributes_, arguments.data(), environ),
          command.front());
    return pid;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

/// Holds the handled signals back while the child is started and noted, so that none falls between.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t handled;
    sigemptyset(&handled);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&handled, signal);
    sigprocmask(SIG_BLOCK, &handled, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

void end_children_when_interrupted() {
  struct sigaction action{};
  action.sa_handler = interrupt;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

int run(const std::vector<std::string>& command, const std::optional<std::filesystem::path>& output) {
  const Settings settings(output);
  pid_t pid = 0;
  {
    const HeldSignals held;
    if (interrupted != 0) throw Interrupted();
    pid = settings.start(command);
    child = pid;
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  {
    const HeldSignals held;
    child = 0;
  }
  if (interrupted != 0) throw Interrupted();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "weft-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "no temporary folder " + name);
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace weft
