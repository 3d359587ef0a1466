#pragma once

/// @file
/// The parameters that a step is tried with, and functions that are called with what they need of them.

#include <vector_types.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "step/vocabulary.hpp"

namespace weft {

/// Where on its step's axes a variant stands.
class Setting {
 public:
  Setting() = default;
  Setting(Parameters parameters, bool is_default)
      : parameters_(std::move(parameters)), default_(is_default) {}

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

  /// Whether this is the variant that is meant when none is named: the first value of every axis.
  [[nodiscard]] bool is_default() const { return default_; }

  /// The values of a parameter.
  /// @throws std::out_of_range if the step has no such axis
  [[nodiscard]] const Numbers& operator[](const char* name) const;

  /// The one number of a parameter.
  [[nodiscard]] int number(const char* name) const { return static_cast<int>((*this)[name].front()); }

  /// The extents of the parameter `block`.
  [[nodiscard]] dim3 block() const;

  /// The values of the first parameter that is not the block.
  /// @throws std::out_of_range if there is none
  [[nodiscard]] const Numbers& values() const;

  /// The first of them.
  [[nodiscard]] int number() const { return static_cast<int>(values().front()); }

 private:
  Parameters parameters_;
  bool default_ = true;
};

/// The numbers from `first` to `last`.
Numbers range(std::int64_t first, std::int64_t last);

// [axes]
/// The axes of a step: parameters with the values that each is tried with, the default first. Every
/// combination of values is a variant: `Axes(block).with("stride", range(1, 32))`.
class Axes {
 public:
  /// No parameter: one variant.
  Axes();

  /// One block; its parameter has as many extents as differ from 1, at least one.
  Axes(dim3 block);  // NOLINT(google-explicit-constructor)

  /// Several blocks, all with as many extents as the one that has most.
  Axes(const List<dim3>& blocks);  // NOLINT(google-explicit-constructor)

  /// One axis more, of numbers.
  Axes with(const char* name, const Numbers& numbers) const;

  /// One axis more, each of whose values has several numbers.
  Axes with_tuples(const char* name, const List<Numbers>& values) const;

  [[nodiscard]] List<Setting> settings() const;

 private:
  List<Parameters> combinations_;
};
// [axes]

/// A step's function, called with what its parameters ask for beyond those that it is given: an extent of the
/// shape for each `std::int64_t`, in their order; the block for a `dim3`; the number of the parameter beside
/// the block for an `int`, all its numbers for a `const Numbers&`.
/// @tparam Signature the result and the parameters that are given: `void(cudaStream_t, Vectors)`
template <typename Signature>
class StepFunction;

template <typename Result, typename... Given>
class StepFunction<Result(Given...)> {
 public:
  StepFunction() = default;
  StepFunction(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)

  template <typename... Deduced>
  StepFunction(Result (*function)(Given..., Deduced...))  // NOLINT(google-explicit-constructor)
      : function_(reinterpret_cast<Any*>(function)), call_(&call<Deduced...>) {}

  explicit operator bool() const { return function_ != nullptr; }

  /// @throws std::out_of_range if the function asks for what shape or setting do not have
  Result operator()(const Shape& shape, const Setting& setting, Given... given) const {
    return call_(function_, shape, setting, given...);
  }

 private:
  using Any = void();
  using Call = Result(Any*, const Shape&, const Setting&, Given...);

  template <typename... Deduced>
  static Result call(Any* function, const Shape& shape, const Setting& setting, Given... given) {
    return call_with<Deduced...>(function, shape, setting, std::index_sequence_for<Deduced...>{}, given...);
  }

  template <typename... Deduced, std::size_t... place>
  static Result call_with(Any* function, const Shape& shape, const Setting& setting,
                          std::index_sequence<place...> /*places*/, Given... given) {
    return reinterpret_cast<Result (*)(Given..., Deduced...)>(function)(
        given..., take<Deduced>(shape, extents_before<Deduced...>(place), setting)...);
  }

  /// How many of the parameters before one ask for an extent.
  template <typename... Deduced>
  static constexpr std::size_t extents_before(std::size_t place) {
    const bool is_extent[] = {std::is_same_v<Deduced, std::int64_t>..., false};
    std::size_t count = 0;
    for (std::size_t i = 0; i < place; ++i) count += is_extent[i] ? 1 : 0;
    return count;
  }

  template <typename Deduced>
  static decltype(auto) take(const Shape& shape, std::size_t extent, const Setting& setting) {
    if constexpr (std::is_same_v<Deduced, std::int64_t>) {
      return shape.at(extent);
    } else if constexpr (std::is_same_v<Deduced, dim3>) {
      return setting.block();
    } else if constexpr (std::is_same_v<Deduced, int>) {
      return setting.number();
    } else {
      static_assert(std::is_same_v<Deduced, const Numbers&>,
                    "a step's function asks for extents, its block, or the values of a parameter");
      return setting.values();
    }
  }

  Any* function_ = nullptr;
  Call* call_ = nullptr;
};

}  // namespace weft
