#pragma once

/// @file
/// The steps' programs as the build leaves them: `chapters/6-transpose/13_padded`, and what each says of
/// itself: `describe/6-transpose/13_padded.json` beside `chapters`. Experiments lie in a folder of their own,
/// `chapters/6-transpose/experiments`, likewise.

#include <filesystem>
#include <string>
#include <vector>

#include "benchmark/results/results.hpp"

namespace weft {

/// A launch that is to be timed or counted.
struct Launch {
  Json what;  ///< "step", "shape" and "parameters", as results have them
  std::string fingerprint;
  bool curve = false;                ///< of a variant that is timed in one round alone
  bool large = false;                ///< of arrays that take longer to fill and to verify than to time
  bool timed_alone = false;          ///< not among those that are counted in full
  std::vector<std::string> command;  ///< launches it once
  std::vector<std::string> metrics;  ///< of a profiler, which the step reports
};

/// `padded 8192x8192 block=32x8`.
std::string name_of(const Launch& launch);

/// The program of a step or an experiment.
struct Program {
  std::filesystem::path path;
  bool of_others = false;       ///< a peer's: its kernels are a library's machine code
  std::vector<Launch> timed;    ///< in the order in which --measure times them
  std::vector<Launch> counted;  ///< in full, and then those that are timed alone
  [[nodiscard]] std::string name() const { return path.filename().string(); }
};

/// What a program is to time in a round, and the options of --measure with which it times just that.
struct Round {
  std::vector<const Launch*> launches;  ///< in the order in which they are timed
  std::vector<std::string> options;
};

/// In the first round all; from the second on no curves, and large problems only where the program's options
/// cannot leave them out: where its variants differ in the others.
Round round_of(const Program& program, int round);

/// A chapter's programs: the steps in the order of their numbers, then the experiments.
struct Chapter {
  int number = 0;
  std::vector<Program> programs;
};

/// Finds the programs of all chapters, in the order of the chapters.
/// @param folder the build's `chapters`
/// @throws std::runtime_error if there is none, or naming a description that cannot be read
std::vector<Chapter> find_chapters(const std::filesystem::path& folder);

}  // namespace weft
