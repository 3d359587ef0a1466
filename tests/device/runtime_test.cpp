#include "device/runtime.hpp"

#include <doctest/doctest.h>

namespace weft::test {
namespace {

GpuFacts usable() {
  return {.driver_found = true,
          .driver_version = 13000,
          .runtime_version = 13000,
          .error = {},
          .device = "NVIDIA H200",
          .architecture = 90,
          .code_found = true,
          .built_for = {}};
}

TEST_CASE("a GPU that can be used has no obstacle") {
  CHECK_FALSE(unusable(usable()).has_value());
  GpuFacts newer = usable();
  newer.driver_version = 13010;
  CHECK_FALSE(unusable(newer).has_value());
  GpuFacts minor_version_older = usable();
  minor_version_older.runtime_version = 13020;
  CHECK_FALSE(unusable(minor_version_older).has_value());
}

TEST_CASE("no driver") { CHECK(unusable({}) == "no GPU: there is no NVIDIA driver here (libcuda.so.1)"); }

TEST_CASE("a driver that is too old") {
  GpuFacts facts = usable();
  facts.driver_version = 12020;
  facts.error = "CUDA driver version is insufficient for CUDA runtime version";
  CHECK(unusable(facts) ==
        "the NVIDIA driver supports CUDA 12.2, and this program was built with CUDA 13.0: update the driver, "
        "or rebuild "
        "with an older compiler: make NVCC=/path/to/nvcc");
}

TEST_CASE("a driver without a device") {
  GpuFacts facts = usable();
  facts.error = "no CUDA-capable device is detected";
  CHECK(unusable(facts) == "no usable GPU: no CUDA-capable device is detected");
}

TEST_CASE("a GPU without code in the program") {
  GpuFacts facts = usable();
  facts.code_found = false;
  facts.device = "NVIDIA A100";
  facts.architecture = 80;
  facts.built_for = {90};
  CHECK(unusable(facts) ==
        "NVIDIA A100 (sm_80) cannot run this program, which holds code for sm_90: `make reproduce` adds code "
        "for this "
        "GPU, except for steps that need sm_90");
  facts.device = "GTX 1050 Ti";
  facts.architecture = 61;
  CHECK(unusable(facts) ==
        "GTX 1050 Ti (sm_61) cannot run this program, which holds code for sm_90: CUDA 13 knows sm_75 and "
        "later, "
        "rebuild with CUDA 12: make NVCC=/path/to/nvcc");
}

}  // namespace
}  // namespace weft::test
