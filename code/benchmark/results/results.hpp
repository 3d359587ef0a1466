#pragma once

/// @file
/// A chapter's results on one GPU: what was timed, what was counted, and on what. What stands in them is
/// described by "results" in schema.json, which the book holds every file against that it reads.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

using Json = nlohmann::ordered_json;

/// A results file that cannot be used; the message names the file, the line and the fault.
class BadResults : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One results file, `<gpu>/chapterN.json`.
struct Results {
  static constexpr int schema = 2;

  Results() = default;
  Results(int chapter_number, Json measured_on) : chapter(chapter_number), gpu(std::move(measured_on)) {}

  int chapter = 0;
  Json gpu = Json::object();         ///< at least "name"
  Json provenance = Json::object();  ///< null where something was not to be had
  std::vector<Json> measurements;
  std::vector<Json> counters;

  /// Takes over another run of the same chapter: a measurement or counter replaces the one of the same step,
  /// shape and parameters, the rest stays; GPU and provenance become the other's.
  void merge(const Results& newer);
};

/// Parses one results file's text, as far as merge() looks into it.
/// @param name what the message of an error calls it
/// @throws BadResults if it is damaged, foreign or of another schema
Results parse_results(std::string_view text, const std::string& name);

/// The same for a file. A file that is not there is an error, too.
Results read_results(const std::filesystem::path& path);

/// The file's text: a line for each measurement and each counter, so that a change shows as a short
/// difference.
std::string format_results(const Results& results);

/// What makes two measurements or counters stand for the same thing: step, shape and parameters.
std::string identity(const Json& entry);

/// What a GPU's folder is called: lower case, words joined by hyphens ("NVIDIA H200" becomes "nvidia-h200").
std::string folder_name(std::string_view gpu);

/// A shape as options and tables write it: "8192x8192".
std::string shape_text(const Json& shape);

/// Parameters as tables write them: "block=32x8", several of them separated by spaces.
std::string parameters_text(const Json& parameters);

}  // namespace weft
