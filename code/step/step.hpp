#pragma once

/// @file
/// What a step is to the program around it: variants that can be checked, counted and timed.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/mismatch.hpp"
#include "step/vocabulary.hpp"
#include "model/metrics.hpp"

namespace weft {

/// Parameters by their names.
using ParameterMap = std::map<std::string, std::vector<std::int64_t>>;

ParameterMap by_name(const Parameters& parameters);

/// Thrown by a launch that needs what this machine lacks, such as a library: the program then ends as
/// skipped.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One problem of one shape with its buffers on the device, ready to be launched.
///
/// A check runs fill(1), poison, launch, verify, then the same with fill(2): what the second launch leaves
/// from the first is stale. A measurement runs fill once and launch many times; a description runs launch
/// alone. A constructor only allocates: buffers of shapes that are merely described are never filled.
class Problem {
 public:
  Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  virtual ~Problem() = default;

  /// Gives the inputs values that follow from the seed and each element's index alone.
  virtual void fill(std::uint64_t seed) = 0;

  /// Overwrites the output and its guard zones with signalling NaNs.
  virtual void poison(cudaStream_t stream) = 0;

  /// Exactly what is timed and counted: allocates nothing, synchronizes nothing.
  virtual void launch(cudaStream_t stream) = 0;

  /// Compares everything that the launch could have written with what it should hold. The caller has
  /// synchronized.
  /// @return nothing, or the first mismatch
  virtual std::optional<Mismatch> verify() = 0;
};

/// One way to run a step: everything that the commands of its program need.
struct Variant {
  std::string step;  ///< kebab-case, unique in a chapter
  Kind kind = Kind::step;
  ParameterMap parameters;
  std::vector<Shape> checked;        ///< shapes that break kernels
  std::vector<Shape> checked_large;  ///< with more than 2^31 elements: on a GPU with room for them
  std::vector<Shape> measured;
  std::vector<Shape> counted;
  bool sweep = false;  ///< one of many alike, which are read as one curve: timed in one round, not in all
  bool polls = false;  ///< blocks ask by atomics until others are ready: how often is not to be predicted
  std::function<std::unique_ptr<Problem>(const Shape&)> make;
  std::function<std::int64_t(const Shape&)> bytes;  ///< read and written; what a bandwidth is rated by
  std::function<std::int64_t(const Shape&)> flops;  ///< what a rate of arithmetic is rated by; 0 for moves
  std::function<model::Metrics(const Shape&)> predict;  ///< may be empty
};

/// Registers a variant; called from the static initializers of a step.
void add(Variant variant);

/// All variants of this program, in the order in which they were added.
const std::vector<Variant>& variants();

/// `8192x8192`.
std::string to_string(const Shape& shape);

/// `step`, `ceiling` or `peer`.
std::string to_string(Kind kind);

/// `block=32x8`, several parted by a space; empty if there are none.
std::string to_string(const ParameterMap& parameters);

}  // namespace weft
