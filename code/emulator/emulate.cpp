/// @file
/// `emulate PROGRAM ARGUMENTS…`: runs a program with the emulator as its CUDA runtime.

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr int exit_refused = 2;

constexpr const char* usage =
    "usage: emulate [--counters FILE] PROGRAM ARGUMENTS...\n"
    "Runs a program built with `nvcc -cudart shared` on an emulated GPU.\n"
    "  --counters FILE  write what every launch counted to FILE, as JSON\n"
    "  --help           this text\n";

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

/// Looks into the program's file for a name; good enough for the names of libraries and sections.
bool mentions(const fs::path& program, const std::string& name) {
  std::ifstream stream(program, std::ios::binary);
  const std::string contents(std::istreambuf_iterator<char>(stream), {});
  return contents.find(name + '\0') != std::string::npos;
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
  if (mentions(*program, ".nv_fatbin") && !mentions(*program, RUNTIME_NAME)) {
    return refuse(program->string() + " holds its own CUDA runtime: link it with nvcc -cudart shared");
  }
  const fs::path library = fs::read_symlink("/proc/self/exe").parent_path() / "lib" / "libweft_emulator.so";
  if (!fs::exists(library)) return refuse(library.string() + " is missing: build the emulator first");
  // LD_PRELOAD is cut at spaces, which the library's folder may have: it takes the name, LD_LIBRARY_PATH the
  // folder.
  prepend("LD_LIBRARY_PATH", library.parent_path());
  prepend("LD_PRELOAD", library.filename());
  if (options.counters) setenv("WEFT_EMULATOR_COUNTERS", options.counters->c_str(), 1);
  execv(program->c_str(), options.command.data());
  return refuse(program->string() + " cannot be started: " + std::strerror(errno));
}
