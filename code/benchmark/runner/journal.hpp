#pragma once

/// @file
/// What was measured of a chapter on one card, kept line by line while a run lasts: a run that is interrupted
/// goes on from there.

#include <filesystem>
#include <string>
#include <vector>

#include "benchmark/results/results.hpp"
#include "benchmark/runner/programs.hpp"

namespace weft {

/// A file of JSON, a line for each measurement of each round and for each launch that was counted. Programs
/// append their measurements to it as they take them. A line {"commit": …} says what those after it were made
/// from.
class Journal {
 public:
  /// Takes over what an earlier run left of a chapter, as the chapter is today. What cannot be read, such as
  /// a line that was cut off, is dropped.
  /// @throws std::runtime_error if the file cannot be written
  Journal(std::filesystem::path file, const Chapter& chapter, const std::string& commit);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  /// Reads what programs have appended.
  void read();

  /// Appends a line.
  /// @throws std::runtime_error if it cannot be written
  void add(const Json& line);

  /// In how many rounds a launch was timed.
  [[nodiscard]] int rounds(const Launch& launch) const;

  /// Whether a launch was counted.
  [[nodiscard]] bool is_counted(const Launch& launch) const;

  /// The measurements of all rounds, those of one launch pooled, in the order in which they first came.
  [[nodiscard]] std::vector<Json> measurements() const;

  /// What was counted.
  [[nodiscard]] const std::vector<Json>& counters() const { return counters_; }

  /// Removes the file: what it holds stands in the results.
  void remove() const;

 private:
  std::filesystem::path file_;
  std::vector<Json> measurements_, counters_;
};

}  // namespace weft
