#pragma once

/// @file
/// Factors that tensor maps can describe, whatever A and B are like: A transposed, B as it is or copied into
/// rows that begin at multiples of 16 bytes.

#include "hopper.hpp"
#include "stream_k.hpp"
#include "transpose.hpp"

namespace weft::hopper {

// [boxed]
/// What a step needs of the workspace, part by part, each at a multiple of 16 bytes.
struct BoxedWorkspace {
  std::int64_t transposed, copied_b, handed_sums;  ///< floats

  BoxedWorkspace(std::int64_t m, std::int64_t n, std::int64_t k)
      : transposed(transposed_pitch(m) * k),
        copied_b(transposed_pitch(n) * k),
        handed_sums(std::int64_t{most_blocks} * sizeof(HandedSums) / sizeof(float)) {}

  static std::int64_t floats(std::int64_t m, std::int64_t n, std::int64_t k) {
    const BoxedWorkspace parts(m, n, k);
    return parts.transposed + parts.copied_b + parts.handed_sums;
  }
};

struct BoxedFactors {
  CUtensorMap transposed_a, b;
};

/// The maps of A's transpose, which somebody has yet to write into the workspace, and of B, or of a copy of
/// it that is queued.
/// @throws std::runtime_error if the driver refuses the maps
inline BoxedFactors boxed_but_for_a(cudaStream_t stream, const Sgemm& p) {
  const float* b = p.b;
  std::int64_t ldb = p.ldb;
  if (!has_boxes(p.b, p.k, p.n, p.ldb)) {
    float* const copy = p.workspace + BoxedWorkspace(p.m, p.n, p.k).transposed;
    ldb = transposed_pitch(p.n);
    cuda_check(cudaMemcpy2DAsync(copy, static_cast<std::size_t>(ldb) * sizeof(float), p.b,
                                 static_cast<std::size_t>(p.ldb) * sizeof(float),
                                 static_cast<std::size_t>(p.n) * sizeof(float), static_cast<std::size_t>(p.k),
                                 cudaMemcpyDeviceToDevice, stream));
    b = copy;
  }
  return {boxes_of(p.workspace, p.k, p.m, transposed_pitch(p.m), {tile_depth, tile_rows, false}),
          boxes_of(b, p.k, p.n, ldb, {tile_depth, tile_columns, false})};
}

/// Queues what brings both factors into such a form.
/// @throws std::runtime_error if the driver refuses the maps
inline BoxedFactors boxed_factors(cudaStream_t stream, const Sgemm& p) {
  queue_transpose(stream, p);
  return boxed_but_for_a(stream, p);
}

/// Where blocks hand over their sums.
inline HandedSums* handed_sums_in(const Sgemm& p) {
  const BoxedWorkspace parts(p.m, p.n, p.k);
  return reinterpret_cast<HandedSums*>(p.workspace + parts.transposed + parts.copied_b);
}
// [boxed]

}  // namespace weft::hopper
