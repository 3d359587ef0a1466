/// @file
/// `emulate PROGRAM ARGUMENTS…`: runs a program with the emulator as its CUDA runtime.

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "emulator/program_file.hpp"
#include "emulator/report/counters.hpp"
#include "emulator/report/journal.hpp"
#include "emulator/report/summary.hpp"
#include "emulator/supervise.hpp"
#include "model/cards.hpp"

namespace {

namespace fs = std::filesystem;
using namespace weft::emulator;

constexpr int exit_unwritten = 1;
constexpr int exit_refused = 2;

constexpr const char* what_it_does =
    "Runs a program built with `nvcc -cudart shared` (CUDA 12 or 13) on an emulated GPU, and counts what "
    "its\n"
    "kernels do, as Nsight Compute would. When it has ended, a table for each kernel and the lines of the "
    "source\n"
    "that cost most are written to the standard error stream. Build with -lineinfo to see lines.\n";
constexpr const char* how_it_ends =
    "What follows -- is the program, even if it starts with a dash.\n"
    "The exit status is the program's; 1 if a kernel did something wrong, or if what was counted could not "
    "be\n"
    "written; 2 if nothing was run.\n"
    "In the environment: WEFT_EMULATOR_THREADS, the threads that run blocks (one for each processor if not "
    "set).";

/// One for each version of CUDA. A program finds its own by the version of the functions that it wants, so
/// that both are loaded, and the programs that a script starts are served, too.
constexpr std::array runtimes{"libweft_emulator_cuda12.so", "libweft_emulator_cuda13.so"};

/// Why nothing is run, in a line.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Why what was counted is not reported, in a line.
class Unwritten : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::optional<fs::path> counters;
  bool csv = false;
  bool check = true;
  bool leaks = false;
  const weft::model::Card* card = nullptr;  ///< if one is named
  std::vector<std::string> command;         ///< the program, and its arguments
};

const weft::model::Card& card_named(const std::string& name) {
  if (const weft::model::Card* const card = weft::model::find_card(name)) return *card;
  std::string known;
  for (const weft::model::Card& card : weft::model::cards)
    known += (known.empty() ? "" : ", ") + std::string(card.name);
  throw Refusal("no device " + name + " is known; these are: " + known);
}

/// @return nothing if only help was asked for, which is printed
std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  CLI::App app(what_it_does);
  app.name("emulate")->footer(how_it_ends);
  app.get_formatter()->label("OPTIONS", "OPTIONS] PROGRAM [ARGUMENTS...");  // of the usage line
  app.prefix_command();                                                     // what follows is the program's
  app.set_help_flag("--help", "Print this text");
  app.add_option("--counters", options.counters, "Write what every launch counted to FILE, as JSON")
      ->type_name("FILE");
  app.add_flag("--csv", options.csv,
               "Write it to the standard output, in the columns of `ncu --csv --page raw`");
  app.add_option_function<std::string>(
         "--device", [&](const std::string& name) { options.card = &card_named(name); },
         "The GPU: H200 (if none is named), H100, A100, \"RTX 4090\" or T4")
      ->type_name("NAME");
  app.add_flag_callback(
      "--no-check", [&] { options.check = false; },
      "Look for no races, divergent barriers, or uses of memory that was never written");
  app.add_flag("--leaks", options.leaks, "What the program did not free is an error");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw Refusal(std::string(error.what()) + "; emulate --help says more");
  }
  if (options.counters) options.counters = fs::absolute(*options.counters);
  options.command = app.remaining();
  if (!options.command.empty() && options.command.front() == "--") {
    options.command.erase(options.command.begin());
  } else if (!options.command.empty() && options.command.front().starts_with('-')) {
    throw Refusal("unknown option " + options.command.front() + "; emulate --help says more");
  }
  if (options.command.empty()) throw Refusal("no program named; emulate --help says more");
  return options;
}

/// The shell's rules: a name without a slash is looked for in PATH.
fs::path find_program(const std::string& name) {
  const auto runs = [](const fs::path& file) {
    return access(file.c_str(), X_OK) == 0 && !fs::is_directory(file);
  };
  if (name.find('/') != std::string::npos && runs(name)) return name;
  const char* const path = name.find('/') == std::string::npos ? std::getenv("PATH") : nullptr;
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    fs::path candidate = fs::path(rest.substr(0, end)) / name;
    if (runs(candidate)) return candidate;
    rest.erase(0, end + 1);
  }
  throw Refusal(name + " is no program that can be run");
}

void refuse_if_unfit(const fs::path& file) {
  const ProgramFile program = look_into(file);
  const std::string runtime = program.library("libcudart.so");
  if (!program.library("libcuda.so").empty()) {
    throw Refusal(file.string() + " uses CUDA's driver interface (libcuda), which is not emulated");
  }
  if (!runtime.empty() && runtime != "libcudart.so.12" && runtime != "libcudart.so.13") {
    throw Refusal(file.string() + " wants " + runtime + ": build it with CUDA 12 or 13");
  }
  if (program.has_device_code && runtime.empty()) {
    throw Refusal(file.string() + " holds its own CUDA runtime: link it with nvcc -cudart shared");
  }
}

/// Says which of the program's libraries cannot do here what they do on a GPU. Their calls return errors,
/// which is for the program to look at.
void warn_of_libraries(const fs::path& file) {
  constexpr std::array without_ptx{"libcublas.so", "libcublasLt.so", "libcudnn.so",    "libcufft.so",
                                   "libcurand.so", "libcusolver.so", "libcusparse.so", "libcutensor.so",
                                   "libnccl.so",   "libnpp"};
  const ProgramFile program = look_into(file);
  for (const char* const start : without_ptx) {
    const std::string library = program.library(start);
    if (library.empty()) continue;
    std::cerr << "emulate: " << library
              << " cannot run here, for its kernels are machine code alone: its calls will "
              << "fail; put kernels of your own in their place, or take a GPU\n";
  }
}

/// Puts a word before those of a list, parted by colons, in the environment.
void prepend(const char* variable, const std::string& word) {
  const char* const before = std::getenv(variable);
  const bool empty = before == nullptr || *before == '\0';
  setenv(variable, (empty ? word : word + ':' + before).c_str(), 1);
}

/// A file that becomes visible under its name when it is whole.
class OutputFile {
 public:
  explicit OutputFile(const fs::path& file) : file_(file), beside_(file.string() + ".new") {
    if (fs::is_directory(file)) throw Refusal("cannot write " + file.string() + ": it is a folder");
    stream_.open(beside_);
    if (!stream_) throw Refusal("cannot write " + file.string() + ": " + std::strerror(errno));
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    std::error_code nobody_minds;
    fs::remove(beside_, nobody_minds);
  }

  std::ostream& stream() { return stream_; }

  void keep() {
    stream_.close();
    if (!stream_)
      throw Unwritten("cannot write " + file_.string() + ", which is as it was: is the disk full?");
    std::error_code failure;
    fs::rename(beside_, file_, failure);
    if (failure) throw Unwritten("cannot write " + file_.string() + ": " + failure.message());
  }

 private:
  fs::path file_, beside_;
  std::ofstream stream_;
};

/// The file in which the program notes its launches; gone when it has been read.
class JournalFile {
 public:
  JournalFile() {
    std::error_code failure;
    std::string name = (fs::temp_directory_path(failure) / "emulate-XXXXXX").string();
    if (failure) throw Refusal("TMPDIR names no folder for the launches' journal");
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) throw Refusal("cannot write " + name + ": " + std::strerror(errno));
    close(descriptor);
    path_ = name;
    setenv(journal_variable, name.c_str(), 1);
  }
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;
  ~JournalFile() {
    std::error_code nobody_minds;
    fs::remove(path_, nobody_minds);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The runtime would take a wrong number for none.
void refuse_wrong_number_of_threads() {
  const char* const wanted = std::getenv("WEFT_EMULATOR_THREADS");
  if (wanted == nullptr || *wanted == '\0') return;
  int number = 0;
  const auto [rest, error] = std::from_chars(wanted, wanted + std::strlen(wanted), number);
  if (error != std::errc() || *rest != '\0' || number < 1) {
    throw Refusal(std::string("WEFT_EMULATOR_THREADS=") + wanted + " is no number of threads");
  }
}

void set_up_environment(const Options& options, const fs::path& program) {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path() / "lib";
  // LD_PRELOAD is cut at spaces, which the libraries' folder may have: it takes the names, LD_LIBRARY_PATH
  // the folder.
  prepend("LD_LIBRARY_PATH", folder);
  for (const char* const library : runtimes) {
    if (!fs::exists(folder / library)) {
      throw Refusal((folder / library).string() + " is missing: build it first");
    }
  }
  if (!options.check) setenv("WEFT_EMULATOR_CHECK", "0", 1);
  if (options.leaks) setenv("WEFT_EMULATOR_LEAKS", "1", 1);
  // The program's own comes first: it answers where no version is asked for.
  const bool older = look_into(program).library("libcudart.so") == "libcudart.so.12";
  prepend("LD_PRELOAD", older ? runtimes.back() : runtimes.front());
  prepend("LD_PRELOAD", older ? runtimes.front() : runtimes.back());
  if (options.card != nullptr) setenv("WEFT_EMULATOR_DEVICE", std::string(options.card->name).c_str(), 1);
}

/// Writes what was counted where it is wanted.
void report(const fs::path& journal, const Options& options, std::optional<OutputFile>& counters) {
  write_summary(journal, std::cerr);
  if (counters) {
    write_json(journal, counters->stream());
    counters->keep();
  }
  if (options.csv) {
    write_csv(journal, std::cout);
    if (!std::cout.flush()) throw Unwritten("cannot write to the standard output");
  }
}

/// @return the program's status, as waitpid() gives it
int run(const Options& options) {
  const fs::path program = find_program(options.command.front());
  refuse_if_unfit(program);
  refuse_wrong_number_of_threads();
  set_up_environment(options, program);
  std::optional<OutputFile> counters;
  if (options.counters) counters.emplace(*options.counters);
  const JournalFile journal;
  warn_of_libraries(program);
  const int counted_on = weft::model::cards.front().architecture();
  if (options.card != nullptr && options.card->architecture() != counted_on) {
    std::cerr << "emulate: " << options.card->full_name
              << ": the rules that it counts by were measured on NVIDIA's H200 and H100\n";
  }
  const int status = supervise(program, options.command);
  const int status_if_unwritten = status != 0 ? status : exit_unwritten << 8;
  if (!fs::exists(journal.path())) return status_if_unwritten;  // the program has said why
  try {
    report(journal.path(), options, counters);
  } catch (const Unwritten& failure) {
    std::cerr << "emulate: " << failure.what() << '\n';
    return status_if_unwritten;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  try {
    const std::optional<Options> options = read_options(argc, argv);
    if (!options) return 0;
    status = run(*options);
  } catch (const std::exception& refusal) {
    std::cerr << "emulate: " << refusal.what() << '\n';
    return exit_refused;
  }
  end_like(status);
}
