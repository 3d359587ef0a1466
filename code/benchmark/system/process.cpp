#include "benchmark/system/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

namespace weft {
namespace {

constexpr std::size_t most_children = 16;

volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t children[most_children];  // the process groups that are waited for, and zeros

void end_children() {
  for (const volatile std::sig_atomic_t& child : children) {
    if (child != 0) kill(-child, SIGTERM);
  }
}

void interrupt(int /*signal*/) {
  interrupted = 1;
  end_children();
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

/// Programs that run. Those that still do when it goes are ended first.
class Children {
 public:
  explicit Children(std::size_t most) : most_(most) {}
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    end_children();
    while (!empty()) reap();
  }

  [[nodiscard]] bool empty() const { return running_.empty(); }
  [[nodiscard]] bool full() const { return running_.size() == most_; }

  void start(const Job& job, std::size_t number) {
    const Settings settings(job.output);
    const HeldSignals held;
    if (interrupted != 0) throw Interrupted();
    const pid_t pid = settings.start(job.command);
    running_[pid] = number;
    *std::ranges::find(children, 0) = pid;
  }

  /// Waits for one to end.
  /// @return its number and its status
  std::pair<std::size_t, int> wait() {
    const auto ended = reap();
    if (interrupted != 0) throw Interrupted();
    return ended;
  }

 private:
  std::pair<std::size_t, int> reap() {
    int status = 0;
    pid_t pid = 0;
    do {
      pid = waitpid(-1, &status, 0);
    } while (!running_.contains(pid));  // interrupted, or not ours
    const HeldSignals held;
    *std::ranges::find(children, pid) = 0;
    const std::size_t number = running_.extract(pid).mapped();
    return {number, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
  }

  std::size_t most_;
  std::map<pid_t, std::size_t> running_;
};

}  // namespace

void end_children_when_interrupted() {
  struct sigaction action{};
  action.sa_handler = interrupt;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, nobody can wait for programs
}

int run(const Job& job) {
  int result = 0;
  run_together({job}, 1, [&](std::size_t, int status) { result = status; });
  return result;
}

void run_together(const std::vector<Job>& jobs, std::size_t at_once,
                  const std::function<void(std::size_t, int)>& ended) {
  Children running(std::min(at_once, most_children));
  for (std::size_t next = 0; next < jobs.size() || !running.empty();) {
    if (next < jobs.size() && !running.full()) {
      running.start(jobs[next], next);
      ++next;
    } else {
      const auto [job, status] = running.wait();
      ended(job, status);
    }
  }
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
