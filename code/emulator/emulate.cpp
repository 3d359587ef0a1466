/// @file
/// `emulate PROGRAM ARGUMENTS…`: runs a program with the emulator as its CUDA runtime.

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "emulator/program_file.hpp"

namespace {

namespace fs = std::filesystem;
using weft::emulator::look_into;

constexpr int exit_refused = 2;

constexpr const char* usage =
    "usage: emulate [--counters FILE] PROGRAM ARGUMENTS...\n"
    "Runs a program built with `nvcc -cudart shared` on an emulated GPU.\n"
    "  --counters FILE  write what every launch counted to FILE, as JSON\n"
    "  --help           this text\n";

/// One for each version of CUDA. A program finds its own by the version of the functions that it wants, so
/// that both are loaded, and the libraries of a script's programs are served, too.
constexpr std::array runtimes{"libweft_emulator_cuda12.so", "libweft_emulator_cuda13.so"};

/// @return why a program cannot run here; nothing if it can
std::string why_not(const weft::emulator::ProgramFile& program) {
  if (!program.library("libcuda.so").empty())
    return "uses CUDA's driver interface (libcuda), which is not emulated";
  const std::string runtime = program.library("libcudart.so");
  if (!runtime.empty() && runtime != "libcudart.so.12" && runtime != "libcudart.so.13") {
    return "wants " + runtime + ": build it with CUDA 12 or 13";
  }
  if (!program.has_device_code || !runtime.empty()) return {};
  return "holds its own CUDA runtime: link it with nvcc -cudart shared";
}

struct Options {
  std::optional<fs::path> counters;
  std::vector<char*> command;  ///< ends with a null pointer
};

int refuse(const std::string& line) {
  std::cerr << "emulate: " << line << '\n';
  return exit_refused;
}

/// The shell's rules: a name without a slash is looked for in PATH.
std::optional<fs::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), X_OK) == 0 && !fs::is_directory(name)) return name;
    return std::nullopt;
  }
  const char* const path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    fs::path candidate = fs::path(rest.substr(0, end)) / name;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
    rest.erase(0, end + 1);
  }
  return std::nullopt;
}

/// Puts a word before those of a list, parted by colons, in the environment.
void prepend(const char* variable, const std::string& word) {
  const char* const before = std::getenv(variable);
  const bool empty = before == nullptr || *before == '\0';
  setenv(variable, (empty ? word : word + ':' + before).c_str(), 1);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    const std::string option = argv[at];
    if (option == "--help") {
      std::cout << usage;
      return 0;
    }
    if (option == "--counters" && at + 1 < argc) {
      options.counters = fs::absolute(argv[++at]);
    } else if (option == "--") {
      ++at;
      break;
    } else {
      return refuse("unknown option " + option + "; emulate --help says more");
    }
  }
  if (at == argc) return refuse("no program named; emulate --help says more");
  options.command.assign(argv + at, argv + argc + 1);

  const std::optional<fs::path> program = find_program(options.command.front());
  if (!program) return refuse(std::string(options.command.front()) + " is no program that can be run");
  if (const std::string why = why_not(look_into(*program)); !why.empty()) {
    return refuse(program->string() + ' ' + why);
  }
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path() / "lib";
  for (const char* const library : runtimes) {
    if (!fs::exists(folder / library))
      return refuse((folder / library).string() + " is missing: build it first");
  }
  // LD_PRELOAD is cut at spaces, which the library's folder may have: it takes the name, LD_LIBRARY_PATH the
  // folder.
  prepend("LD_LIBRARY_PATH", folder);
  for (const char* const library : runtimes) prepend("LD_PRELOAD", library);
  if (options.counters) setenv("WEFT_EMULATOR_COUNTERS", options.counters->c_str(), 1);
  execv(program->c_str(), options.command.data());
  return refuse(program->string() + " cannot be started: " + std::strerror(errno));
}
