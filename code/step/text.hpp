#pragma once

/// @file
/// What steps are called where they are listed, described and reported.

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "step/step.hpp"

namespace weft {

/// Thrown by a launch that needs what this machine lacks, such as a library: the program then ends as
/// skipped.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parameters by their names.
using ParameterMap = std::map<std::string, Numbers>;

ParameterMap by_name(const Parameters& parameters);

/// The parameters in which a step's variants differ, in the order of their names.
std::vector<std::string> axes(Name step);

/// `padded 8192x8192 block=32x8`.
std::string name_of(const Variant& variant, const Shape& shape);

/// `8192x8192`.
std::string to_string(const Shape& shape);

/// `step`, `ceiling`, `peer` or `experiment`.
std::string to_string(Kind kind);

/// `bytes`, `operations`, `accesses` or `elements`.
std::string to_string(Rating rating);

/// `cold`, `warm` or `kept`.
std::string to_string(L2 l2);

/// `device`, `clock`, `profiler` or `meter`.
std::string to_string(Origin origin);

/// `block=32x8`, several parted by a space; empty if there are none.
std::string to_string(const ParameterMap& parameters);

}  // namespace weft
