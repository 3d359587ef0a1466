#pragma once

/// @file
/// What the steps have in common that read a large memory in an order of their own.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>

#include "kernel/permutation.hpp"
#include "large_memory.hpp"
#include "model/access.hpp"
#include "step/axes.hpp"
#include "step/step.hpp"

namespace weft {

// [gather]
inline constexpr dim3 gather_block{256};
inline constexpr int gather_together = 8;
inline constexpr std::int64_t bytes_of_request = std::int64_t{model::warp_size} * sizeof(uint4);
inline constexpr std::int64_t bytes_of_gather_block =
    std::int64_t{gather_together} * gather_block.x * sizeof(uint4);

/// A thread asks for eight times 16 bytes before it needs the first.
/// @param place where a byte lies of those that are asked for, counted from the first one on
/// @param sums takes the sum of all words that a warp reads
template <typename Place>
__global__ void gather(const std::byte* __restrict__ memory, Place place, std::uint32_t* __restrict__ sums) {
  const std::int64_t first = std::int64_t{blockIdx.x} * gather_block.x * gather_together + threadIdx.x;
  uint4 found[gather_together];
#pragma unroll
  for (int i = 0; i < gather_together; ++i) {
    const std::int64_t asked = (first + std::int64_t{gather_block.x} * i) * std::int64_t{sizeof(uint4)};
    found[i] = __ldcg(reinterpret_cast<const uint4*>(memory + place(asked)));
  }
  std::uint32_t sum = 0;
#pragma unroll
  for (const uint4 one : found) sum += one.x + one.y + one.z + one.w;
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  const std::int64_t thread = std::int64_t{blockIdx.x} * gather_block.x + threadIdx.x;
  if (thread % model::warp_size == 0) sums[thread / model::warp_size] = sum;
}
// [gather]

/// One launch of gather().
template <typename Place>
class Gathering : public LargeMemoryProblem {
 public:
  /// @param place sends each aligned sector to a sector of the memory
  /// @param asked bytes; blocks ask for whole 32 KiB
  Gathering(std::int64_t bytes, std::int64_t asked, Place place) : LargeMemoryProblem(bytes) {
    const std::int64_t warps = asked / (bytes_of_request * gather_together);
    constexpr std::int64_t warps_of_block = gather_block.x / model::warp_size;
    const auto sum_of = [=](std::uint64_t seed, std::int64_t warp) {
      std::uint32_t sum = 0;
      for (int i = 0; i < gather_together; ++i) {
        const std::int64_t request =
            (warp / warps_of_block * gather_together + i) * warps_of_block + warp % warps_of_block;
        for (std::int64_t byte = 0; byte < bytes_of_request; byte += model::sector_bytes) {
          constexpr std::uint32_t words = model::sector_bytes / 4;
          const std::int64_t at = place(request * bytes_of_request + byte);
          sum += words * LargeMemory::word(seed, at) + 5 * (words * (words - 1) / 2);
        }
      }
      return sum;
    };
    auto& sums = output<std::uint32_t>("sums", {warps}, weighty<std::uint32_t>(sum_of));
    const auto blocks = static_cast<unsigned>(asked / bytes_of_gather_block);
    launches([=, this, &sums](cudaStream_t stream) {
      if (blocks > 0) gather<<<blocks, gather_block, 0, stream>>>(memory().data(), place, sums.data());
    });
  }
};

/// A step that reads: its shape is the mebibytes of its memory, and how many of them are asked for.
/// @param place_of `place_of(bytes)` is what gather() takes for a memory of so many
/// @param asked_of `asked_of(shape)` are the bytes that are asked for
/// @param sectors that a request of a warp touches, each as wide as its neighbour's distance: their places
template <typename PlaceOf, typename AskedOf, typename Sectors>
Variant gathering(const char* name, const Setting& setting, const PlaceOf& place_of, const AskedOf& asked_of,
                  const Sectors& element_of_lane) {
  Variant made(name, setting);
  made.curve = true;
  made.checked = {{1, 1}, {32, 2}};
  made.counted = {{4, 1}};
  made.make = [=](const Shape& shape) {
    const std::int64_t bytes = shape[0] * mebibyte;
    return make_owned<Gathering<decltype(place_of(bytes))>>(bytes, asked_of(shape), place_of(bytes));
  };
  made.amounts = [=](const Shape& shape) { return Amounts{.bytes = asked_of(shape)}; };
  made.predict = [=](const Shape& shape) {
    const std::int64_t requests = asked_of(shape) / bytes_of_request;
    return model::Prediction{}
        .global_load(requests, sizeof(uint4), element_of_lane)
        .global_store(requests / gather_together, 4,
                      [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); });
  };
  return made;
}

}  // namespace weft

using namespace weft;  // a step is a program of its own
