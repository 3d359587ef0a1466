#include "benchmark/request.hpp"

#include <CLI/CLI.hpp>

#include "program/command_line.hpp"

namespace weft {

std::optional<Request> parse_request(int argc, const char* const* argv) {
  Request request;
  request.programs = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "chapters";
  request.compiler = WEFT_COMPILER;

  CLI::App app("Times every step of the book on this machine's GPU.", "reproduce");
  app.footer(
      "Exit status: 0 all is well, 1 something failed, 2 it cannot be done as asked, 130 interrupted.");
  app.add_option("--chapter", request.chapters, "only this chapter; may be repeated")
      ->type_name("N")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--output", request.output, "where <gpu>/chapterN.json is written")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--programs", request.programs, "the steps' programs: `chapters`, beside this program")
      ->type_name("DIR");
  app.add_option("--commit", request.commit, "the sources' commit, for the record")->type_name("TEXT");
  app.add_option("--compiler", request.compiler, "what compiled the steps, for the record")
      ->type_name("TEXT")
      ->capture_default_str();
  app.add_flag("--counters", request.counters, "count with Nsight Compute, too");
  if (!parse(app, argc, argv)) return std::nullopt;
  return request;
}

}  // namespace weft
