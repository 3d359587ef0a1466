#include "check/checks.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "check/racecheck.hpp"
#include "device/device.hpp"
#include "step/shapes.hpp"
#include "step/text.hpp"

namespace weft {
namespace {

bool small_alone = false;
bool beyond_racecheck = false;
std::optional<std::string> lacks;

/// Says on a terminal what is being checked, over the line before.
void progress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) static_cast<void>(std::fprintf(stderr, "\r\033[K%s", text.c_str()));
}

/// Whether an emulator or a sanitizer goes through a shape in a moment.
bool is_small(const Variant& variant, const Shape& shape) {
  const std::int64_t operations = variant.amounts(shape).operations;
  return operations > 0 ? operations <= 1 << 22 : elements(shape) <= 1 << 16;
}

/// Runs one check, with one line if it fails.
void check_problem(const Variant& variant, const Shape& shape, const std::vector<std::uint64_t>& seeds) {
  const std::string name = name_of(variant, shape);
  progress("checking " + name);
  const Owned<Problem> problem = variant.make(shape);
  const Stream stream;
  try {
    const std::optional<Mismatch> mismatch = first_mismatch(*problem, seeds, stream.get(), [&] {
      cuda_check(cudaGetLastError());
      stream.synchronize();
    });
    CHECK_MESSAGE(!mismatch, name, ": ", mismatch ? mismatch->describe() : "");
  } catch (const Unavailable& error) {
    lacks = error.what();
  }
}

void check_every_shape() {
  for (const Variant& variant : variants()) {
    for (const Shape& shape : variant.checked) {
      if (small_alone && !is_small(variant, shape)) continue;
      try {
        check_problem(variant, shape, {1, 2});
      } catch (const CudaError& error) {  // what follows could not run: the device's state is lost
        progress("");
        FAIL(name_of(variant, shape), ": ", std::string(error.what()));
      }
    }
  }
  progress("");
}

TEST_SUITE("device") {
  TEST_CASE("every variant is right on every shape") {
    if (!is_beyond_racecheck()) check_every_shape();
  }

  TEST_CASE("every variant is right on every shape (beyond racecheck)") {
    if (is_beyond_racecheck()) check_every_shape();
  }

  TEST_CASE("every variant is right with more than 2^31 elements") {
    for (const Variant& variant : variants()) {
      if (small_alone) break;
      for (const Shape& shape : variant.checked_large) {
        try {
          check_problem(variant, shape, {1});
        } catch (const OutOfDeviceMemory& error) {
          progress("");
          MESSAGE("skipped ", name_of(variant, shape), ": ", std::string(error.what()));
        } catch (const CudaError& error) {
          progress("");
          FAIL(name_of(variant, shape), ": ", std::string(error.what()));
        }
      }
    }
    progress("");
  }
}

}  // namespace

const std::optional<std::string>& lacking() { return lacks; }

std::optional<Mismatch> first_mismatch(Problem& problem, const std::vector<std::uint64_t>& seeds,
                                       cudaStream_t stream, const std::function<void()>& finish) {
  for (const std::uint64_t seed : seeds) {
    problem.fill(seed);
    problem.poison(stream);
    problem.launch(stream);
    finish();
    if (std::optional<Mismatch> mismatch = problem.verify()) return mismatch;
  }
  return std::nullopt;
}

void check_small_shapes_alone() { small_alone = true; }

void check_beyond_racecheck() { beyond_racecheck = true; }
bool is_beyond_racecheck() { return beyond_racecheck; }

}  // namespace weft
