#include "benchmark/runner/request.hpp"

#include <CLI/CLI.hpp>
#include <regex>
#include <string>

#include "program/command_line.hpp"

namespace weft {
namespace {

/// What is wrong with a commit; empty if nothing is, or if none is named.
std::string wrong_commit(const std::string& text) {
  static const std::regex commit("([0-9a-f]{7,40}(-dirty)?)?");
  if (std::regex_match(text, commit)) return {};
  return '"' + text + "\" is no commit: 7 to 40 hexadecimal digits, and -dirty if sources have changed since";
}

}  // namespace

std::optional<Request> parse_request(int argc, const char* const* argv) {
  Request request;
  request.programs = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "chapters";
  request.compiler = WEFT_COMPILER;

  CLI::App app("Checks and times the steps of the book on this machine's GPU.", "reproduce");
  app.footer(
      "A run that was interrupted goes on where it stopped, when it is asked for again.\n"
      "Exit status: 0 all is well, 1 something failed, 2 it cannot be done as asked, 130 interrupted.");
  app.add_option(
         "what", request.what,
         "check: on this GPU; measure; count: with Nsight Compute; emulate: check on the emulator, without a "
         "GPU; sanitize: small checks under all tools of compute-sanitizer. By default: check measure")
      ->check(CLI::IsMember({"check", "measure", "count", "emulate", "sanitize"}));
  app.add_option("--chapter", request.chapters, "only this chapter; may be repeated")
      ->type_name("N")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--rounds", request.rounds, "how often all is measured")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--output", request.output, "where <gpu>/chapterN.json is written")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--programs", request.programs, "the steps' programs: `chapters`, beside this program")
      ->type_name("DIR");
  app.add_option("--commit", request.commit, "the sources' commit, for the record")
      ->type_name("HASH")
      ->check(wrong_commit);
  app.add_option("--compiler", request.compiler, "what compiled the steps, for the record")
      ->type_name("TEXT")
      ->capture_default_str();
  if (!parse(app, argc, argv)) return std::nullopt;
  if (request.what.empty()) request.what = {"check", "measure"};
  return request;
}

}  // namespace weft
