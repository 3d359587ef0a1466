#pragma once

/// @file
/// What was counted, launch by launch.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/execute/launch.hpp"

namespace weft::emulator {

/// Counts by Nsight Compute's metric names.
using Counts = std::map<std::string, std::uint64_t>;

/// Counts of one source line.
struct LineCounts {
  std::string file;
  std::uint32_t line = 0;
  Counts metrics;
  std::set<Doubt> doubts;  ///< none: it counts what Nsight Compute would
};

/// One launch of a kernel.
struct LaunchRecord {
  std::string label;   ///< that the program gave with weft_mark(), if it gave one
  std::string kernel;  ///< as the source spells it
  Extents grid, block;
  Counts metrics;
  std::vector<LineCounts> lines;  ///< by file and line
  /// By file and line, too: what functions did that were inlined into a line.
  std::vector<LineCounts> inlined;
  std::set<Doubt> doubts;  ///< of all lines, and of what has no line
  int registers = 0;       ///< per thread; 0 if the program holds no machine code
  int registers_of = 0;    ///< the architecture that they are known for, if not the device's: 75 for sm_75
  double occupancy = 0;    ///< theoretical: 0 to 1
};

/// Puts together what the sites of a launch counted. A metric is listed if an instruction that it is about
/// was executed.
LaunchRecord make_record(const Launch& launch, const std::vector<Site>& sites,
                         const std::vector<SiteCount>& counts);

/// A launch as one line of text, without its end, and back.
/// @throws std::exception if the text is no such line
std::string to_text(const LaunchRecord& record);
LaunchRecord from_text(const std::string& text);

}  // namespace weft::emulator
