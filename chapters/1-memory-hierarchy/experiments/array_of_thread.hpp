#pragma once

/// @file
/// What experiments have in common whose threads have an array each, and an index that is known only when the
/// kernel runs.

#include "problem.hpp"

namespace weft {

inline constexpr int array_words = 32;           ///< of each thread's array, which hold their own numbers
inline constexpr unsigned array_threads = 1024;  ///< of a multiprocessor

/// Queues a kernel of a block on each multiprocessor. Each thread looks so often into its array, where it
/// finds the index for the next time.
/// @param numbers what the array is filled with
/// @param indices how many different ones the lanes of a warp have
using LaunchLooks = void (*)(unsigned blocks, cudaStream_t stream, const std::uint32_t* numbers,
                             std::uint32_t* last, std::int64_t looks, unsigned indices);

/// An experiment that is rated by a multiprocessor's looks, of which one follows the other. Its shape is the
/// looks of each warp.
inline Variant array_variant(const char* name, const Setting& setting, LaunchLooks launch) {
  const auto indices = static_cast<unsigned>(setting.number("indices"));
  Variant made(name, setting);
  made.kind = Kind::experiment;
  made.checked = {{0}, {16}};
  made.measured = {{32'768}};
  made.counted = {{16}};
  made.rated_by = Rating::accesses;
  made.amounts = [](const Shape& shape) {
    return Amounts{.accesses = shape[0] * array_threads / model::warp_size};
  };
  made.make = [=](const Shape& shape) {
    auto problem = make_owned<ArrayProblem>();
    const std::int64_t blocks = multiprocessors();
    auto& numbers = problem->input<std::uint32_t>(
        "numbers", {array_words}, [](auto, std::int64_t index) { return static_cast<std::uint32_t>(index); });
    auto& last = problem->output<std::uint32_t>(
        "last", {blocks * array_threads},
        [=](auto, std::int64_t thread) { return static_cast<std::uint32_t>(thread % indices); });
    problem->launches([=, &numbers, &last](cudaStream_t stream) {
      launch(static_cast<unsigned>(blocks), stream, numbers.data(), last.data(), shape[0], indices);
    });
    return problem;
  };
  return made;
}

/// The loads that fill the arrays, and the stores of what each thread has in the end.
inline model::Prediction filled_and_stored() {
  const std::int64_t warps = std::int64_t{multiprocessors()} * array_threads / model::warp_size;
  return model::Prediction{}
      .global_load(array_words * warps, 4, [](int) { return 0; })
      .global_store(warps, 4, [](int lane) { return lane; });
}

inline const Numbers numbers_of_indices{1, 2, 4, 8, 16, 32};

}  // namespace weft
