#include "emulator/supervise.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace weft::emulator {
namespace {

constexpr int exit_refused = 2;
constexpr std::array handed_on{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

volatile pid_t child = 0;

/// A terminal sends its signals to the child as well; those of other processes are handed on.
void hand_on(int signal, siginfo_t* info, void* /*context*/) {
  const int before = errno;
  if (info->si_code <= 0 && child > 0) kill(child, signal);
  errno = before;
}

void listen() {
  struct sigaction action{};
  action.sa_sigaction = hand_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : handed_on) sigaction(signal, &action, nullptr);
}

[[noreturn]] void start(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would report what it counts
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  std::cerr << "emulate: " << program.string() << " cannot be started: " << std::strerror(errno) << '\n';
  _exit(exit_refused);
}

}  // namespace

int supervise(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);  // none is lost before there is somebody to hand it to
  child = fork();
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    start(program, arguments);
  }
  if (child > 0) listen();
  sigprocmask(SIG_SETMASK, &before, nullptr);
  int status = exit_refused << 8;
  if (child < 0) {
    std::cerr << "emulate: no process can be started: " << std::strerror(errno) << '\n';
    return status;
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  return status;
}

void end_like(int status) {
  if (!WIFSIGNALED(status)) std::exit(WEXITSTATUS(status));
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);  // the child has left one if the user wants any
  const int signal = WTERMSIG(status);
  std::cout.flush();
  std::signal(signal, SIG_DFL);
  raise(signal);
  std::exit(128 + signal);
}

}  // namespace weft::emulator
