#pragma once

/// @file
/// The seam between a step's program and `libweft_benchmark.so`, which is loaded only to measure.
///
/// The program makes the problem, takes the fingerprint of one launch, calls the plugin for the times,
/// verifies what was timed, and writes what comes of it. Both sides are compiled by one compiler, so C++
/// types and exceptions may cross.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "step/text.hpp"

namespace weft {

/// What the plugin is asked to time.
struct MeasureRequest {
  std::string name;  ///< for progress and errors: `padded 8192x8192 block=32x8`
  L2 l2 = L2::cold;
  List<Quantity> quantities;
  double first_seconds = 0;  ///< of the launch that has been, by the host's clock; of a peer, whose library
                             ///< was perhaps loaded by it, 0
};

/// What the card said of itself while something was timed; what it does not tell is empty.
struct MeterReadings {
  std::vector<double> sm_mhz, memory_mhz, watts, celsius;
  std::optional<double> joules;  ///< the whole card's, with all that lies between the launches
  std::optional<std::vector<std::string>> throttled_by;
};

/// What the plugin found.
struct Timing {
  std::vector<double> seconds;                  ///< of every launch that was timed, in their order
  std::vector<std::vector<double>> quantities;  ///< of each that the step reads itself: of every launch
  MeterReadings meter;
  bool throttled = false;  ///< launches were thrown away, because the clock had fallen too low
};

/// What was measured of one variant at one shape.
struct Measurement {
  std::string step;
  Kind kind = Kind::step;
  Shape shape;
  ParameterMap parameters;
  Rating rated_by = Rating::bytes;
  Amounts amounts;
  L2 l2 = L2::cold;
  List<Quantity> quantities;
  Timing timing;
  List<Series> series;
  List<Grid> grids;         ///< of each series, after the last launch that was timed
  std::string fingerprint;  ///< of one launch at this shape; see fingerprint.hpp
  std::string date;         ///< ISO 8601, UTC
};

/// One line of JSON: the measurement as book/schema.json has it, and its samples in "sample_seconds", so
/// that several rounds can be pooled.
std::string to_json(const Measurement& measurement);

/// Appends a measurement to a file, which holds one a line. A whole line is written at once, so that an
/// interruption leaves those before it.
/// @throws std::runtime_error if it cannot be written
void append(const std::filesystem::path& file, const Measurement& measurement);

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
