#pragma once

/// @file
/// What a step is to the program around it: variants that can be checked, counted and timed.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "model/prediction.hpp"
#include "step/axes.hpp"
#include "step/function.hpp"
#include "step/series.hpp"
#include "step/vocabulary.hpp"

namespace weft {

struct Verdict;

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
  virtual Verdict verify() = 0;
};

/// What one launch does, of what a step may be rated by; 0: none of it.
struct Amounts {
  std::int64_t bytes = 0;  ///< read and written
  std::int64_t operations = 0;
  std::int64_t accesses = 0;  ///< one after the other
  std::int64_t elements = 0;

  [[nodiscard]] std::int64_t of(Rating rating) const;
};

/// A number that a step reports beside its time.
struct Quantity {
  Name name;  ///< kebab-case: `latency`; of a profiler's metric, Nsight Compute's name
  Name unit;  ///< `cycles`, `J`, `1`
  Origin origin = Origin::device;
  /// The number after a launch that has ended; empty for what profiler and meter say.
  Function<double(Problem&)> read;
};

/// One way to run a step: everything that the commands of its program need.
struct Variant {
  Name step;  ///< kebab-case, unique in a chapter
  Kind kind = Kind::step;
  bool is_default = true;  ///< meant when no parameters are named: one of each step's variants
  Parameters parameters;
  List<Shape> checked;        ///< shapes that break kernels
  List<Shape> checked_large;  ///< with more than 2^31 elements: on a GPU with room for them
  List<Shape> measured;
  List<Shape> counted;
  bool curve = false;  ///< one of many alike, which are read as one curve: timed in one round, not in all
  bool polls = false;  ///< it waits for what atomics give back: how often it asks is not predicted
  Function<Owned<Problem>(const Shape&)> make;
  Rating rated_by = Rating::bytes;
  Function<Amounts(const Shape&)> amounts;
  L2 l2 = L2::cold;
  List<Quantity> quantities;
  List<Series> series;
  Function<model::Prediction(const Shape&)> predict;  ///< may be empty

  Variant();
  Variant(const Variant&);
  Variant(Variant&&) noexcept;
  Variant& operator=(const Variant&);
  Variant& operator=(Variant&&) noexcept;
  ~Variant();

  /// A variant with nothing but its name and its place.
  Variant(const char* step_name, const Setting& setting);
};

/// Registers a variant; called from register_steps().
/// @throws std::invalid_argument if it has no name or cannot be made, if a shape is to be measured or counted
/// twice, if there is one with its step and parameters, or a second default of its step
void add(Variant variant);

/// All variants of this program, in the order in which they were added.
const List<Variant>& variants();

/// Calls register_steps(), and looks at what it registered.
/// @param steps register_steps, which the library does not have: each program has its own
/// @throws std::invalid_argument if there is no step, and the program does not say so, a second step, or a
/// step without a default variant
void register_by(void (*steps)());

}  // namespace weft
