#pragma once

/// @file
/// The seam between a step's program and `libweft_benchmark.so`, which is loaded only to measure.
///
/// The program makes the problem, takes the fingerprint of one launch, calls the plugin for the times, and
/// writes what comes of it. Both sides are compiled by one compiler, so C++ types and exceptions may cross.

#include <cstdint>
#include <string>
#include <vector>

#include "step/step.hpp"

namespace weft {

/// What the plugin is asked to time.
struct MeasureRequest {
  std::string name;        ///< for progress and errors: `padded 8192x8192 block=32x8`
  std::int64_t bytes = 0;  ///< read and written per launch
  std::int64_t flops = 0;  ///< per launch
};

/// What the plugin found.
struct Timing {
  std::vector<double> seconds;  ///< of every launch that was timed, in the order of their running
  bool l2_flushed = true;       ///< the L2 cache was emptied before every launch
  bool throttled = false;       ///< the GPU's clock fell while timing
};

/// One line of a result file.
struct Measurement {
  std::string step;
  Kind kind = Kind::step;
  Shape shape;
  ParameterMap parameters;
  Timing timing;
  std::int64_t bytes = 0;
  std::int64_t flops = 0;
  std::string fingerprint;  ///< of one launch at this shape; see fingerprint.hpp
  std::string date;         ///< ISO 8601, UTC
};

/// The measurement as a JSON object of a result file. With `samples`, "sample_seconds" lists every sample as
/// well, so that several runs can be pooled.
std::string to_json(const Measurement& measurement, bool samples);

/// Times `problem.launch` until the noise is low enough; the problem's inputs are filled and it has run once.
/// Exported by the plugin under this name.
/// @throws std::exception if it could not be timed
extern "C" void weft_measure(Problem& problem, const MeasureRequest& request, Timing& timing);

/// The name under which the program looks weft_measure up.
inline constexpr const char* measure_symbol = "weft_measure";

/// The plugin's file name, looked for in the folder named by WEFT_PLUGINS, else beside the program and in
/// `lib` of the folders above it.
inline constexpr const char* measure_plugin = "libweft_benchmark.so";

}  // namespace weft
