#pragma once

/// @file
/// The steps' programs as the build leaves them: `chapters/6-transpose/13_padded`, and what each says of
/// itself: `describe/6-transpose/13_padded.json` beside `chapters`.

#include <filesystem>
#include <string>
#include <vector>

#include "benchmark/results.hpp"

namespace weft {

/// One step's program.
struct Program {
  std::filesystem::path path;
  std::filesystem::path description;
  [[nodiscard]] std::string name() const { return path.filename().string(); }
};

/// A chapter's programs in the order of their numbers.
struct Chapter {
  int number = 0;
  std::vector<Program> programs;
};

/// Finds the programs of all chapters, in the order of the chapters.
/// @param folder the build's `chapters`
/// @throws std::runtime_error if there is none
std::vector<Chapter> find_chapters(const std::filesystem::path& folder);

/// One launch whose hardware counters are published.
struct Counted {
  std::string step;
  Json shape;
  Json parameters;
  std::string fingerprint;
  std::vector<std::string> command;  ///< launches it once
};

/// The launches that a program's description wants counted.
/// @throws std::runtime_error naming the description if it cannot be read
std::vector<Counted> counted_launches(const Program& program);

}  // namespace weft
