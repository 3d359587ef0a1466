#pragma once

/// @file
/// The period of events, some of which were not seen, and among which are others that belong to no period.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace weft::model {

struct Rhythm {
  double period;    ///< the median over windows of events
  double spread;    ///< of its middle half, as a share of it
  double strength;  ///< 0 to 1, the median: how closely the events of a window keep to their period
};

/// How closely events keep to frequencies that are equally far apart: the length of the mean of their phases
/// as arrows (Rayleigh's test).
/// @param times at least 2
/// @return the strength at `lowest`, at `lowest + step`, and so on
std::vector<double> strengths_of(std::span<const double> times, double lowest, double step,
                                 std::size_t frequencies);

/// The period of events, from windows of 256 of them: from 16 windows at most.
/// @param times rising
/// @param shortest no period is shorter; what samples the events sees none below two of its own
/// @return nothing, if there is no window, or if the events keep to no period
std::optional<Rhythm> rhythm(std::span<const double> times, double shortest);

}  // namespace weft::model
