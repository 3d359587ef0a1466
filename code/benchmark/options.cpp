#include "benchmark/options.hpp"

#include <getopt.h>

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace weft {
namespace {

int chapter_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) {
    throw std::invalid_argument("--chapter wants a number, not \"" + std::string(text) + "\"");
  }
  return number;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  constexpr option known[] = {
      {"chapter", required_argument, nullptr, 'n'},  {"output", required_argument, nullptr, 'o'},
      {"commit", required_argument, nullptr, 'c'},   {"compiler", required_argument, nullptr, 'C'},
      {"programs", required_argument, nullptr, 'p'}, {"counters", no_argument, nullptr, 'k'},
      {"help", no_argument, nullptr, 'h'},           {nullptr, 0, nullptr, 0}};
  Options options;
  options.programs = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "chapters";
  options.compiler = WEFT_COMPILER;
  for (int letter = 0; (letter = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    switch (letter) {
      case 'n':
        options.chapters.insert(chapter_number(optarg));
        break;
      case 'o':
        options.output = optarg;
        break;
      case 'c':
        options.commit = optarg;
        break;
      case 'C':
        options.compiler = optarg;
        break;
      case 'p':
        options.programs = optarg;
        break;
      case 'k':
        options.counters = true;
        break;
      case 'h':
        options.help = true;
        break;
      default:
        throw std::invalid_argument("");  // getopt_long has said what
    }
  }
  if (optind < argc) throw std::invalid_argument("\"" + std::string(argv[optind]) + "\" is no option");
  return options;
}

std::string usage() {
  return "reproduce: times every step of the book on this machine's GPU\n"
         "  --chapter N      only this chapter; may be given several times\n"
         "  --output DIR     where <gpu>/chapterN.json is written (build/results)\n"
         "  --programs DIR   the steps' programs (chapters, beside this program)\n"
         "  --counters       count with Nsight Compute, too\n"
         "  --commit TEXT    the sources' commit, for the record\n"
         "  --compiler TEXT  what compiled the steps, for the record\n";
}

}  // namespace weft
