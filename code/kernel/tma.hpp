#pragma once

/// @file
/// Loading boxes of a matrix with the tensor memory accelerator of Hopper and later cards.

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernel/driver_function.hpp"
#include "kernel/evict_last.hpp"
#include "step/vocabulary.hpp"

namespace weft {

// [barrier]
/// A barrier in shared memory that also waits for bytes on their way.
struct TransferBarrier {
  std::uint64_t state;
};

__device__ inline unsigned shared_address(const void* generic) {
  return static_cast<unsigned>(__cvta_generic_to_shared(generic));
}

/// One thread will arrive in each phase; the unit that transfers knows the barrier from here on.
__device__ inline void initialize_and_publish(TransferBarrier& barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// So many arrivals end each phase. Whoever initializes barriers ends with publish_barriers().
__device__ inline void initialize(TransferBarrier& barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals)
               : "memory");
}

/// Makes initialized barriers known to the unit that transfers.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void arrive(TransferBarrier& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}

/// Arrives, and makes this phase wait for that many bytes besides.
__device__ inline void arrive_expecting(TransferBarrier& barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(bytes)
               : "memory");
}

/// Waits for the end of the phase with this parity: 0 for the first, 1 for the second, 0 for the third …
__device__ inline void wait(const TransferBarrier& barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}
// [barrier]

// [box]
/// Sends for the box of the map that begins at (row, column); what lies outside of the matrix arrives as
/// zero.
// NOLINTNEXTLINE(misc-const-correctness): the hardware writes there.
__device__ inline void load_box(void* shared, const CUtensorMap& map, int row, int column,
                                TransferBarrier& arrival, L2Policy policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(shared)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(&arrival)), "l"(policy)
      : "memory");
}

/// The same with no wish as to what the L2 should keep.
// NOLINTNEXTLINE(misc-const-correctness): the hardware writes there.
__device__ inline void load_box(void* shared, const CUtensorMap& map, int row, int column,
                                TransferBarrier& arrival) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(shared)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(&arrival))
      : "memory");
}
// [box]

// [map]
/// If rows of a box are 128 bytes, the hardware can swizzle them: the 16-byte piece p of row r of a box lies
/// where piece p ^ (r % 8) would, if the box begins at a multiple of 1024 bytes.
inline constexpr int box_columns = 32;
inline constexpr unsigned box_alignment = 1024;

/// The extents of a box, at most 256 each, and whether it is swizzled.
struct Box {
  unsigned rows = 1;
  unsigned columns = box_columns;
  bool swizzled = true;
};

/// Boxes of a rows × columns matrix whose rows begin `pitch` elements apart, at multiples of 16 bytes.
/// @throws std::runtime_error if the driver knows no tensor maps or refuses this one
inline CUtensorMap boxes_of(const float* data, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                            Box box) {
  void* encode = driver_function("cuTensorMapEncodeTiled");
  if (encode == nullptr) {
    fail("the driver has no cuTensorMapEncodeTiled: tensor maps need CUDA 12 and sm_90");
  }
  const cuuint64_t lengths[]{static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t pitch_bytes = static_cast<cuuint64_t>(pitch) * sizeof(float);
  const cuuint32_t extents[]{box.columns, box.rows};
  const cuuint32_t every_element[]{1, 1};
  CUtensorMap map{};
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(data), lengths, &pitch_bytes, extents,
      every_element, CU_TENSOR_MAP_INTERLEAVE_NONE,
      box.swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) fail("cuTensorMapEncodeTiled failed with CUresult", result);
  return map;
}

/// Whether a tensor map can describe the matrix: rows at multiples of 16 bytes, and 32-bit coordinates.
inline bool has_boxes(const float* data, std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
  constexpr std::int64_t most = 1LL << 31;
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && pitch % 4 == 0 && rows < most && columns < most;
}
// [map]

}  // namespace weft
