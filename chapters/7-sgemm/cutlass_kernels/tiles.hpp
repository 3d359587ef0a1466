#pragma once

/// @file
/// A tile of CUTLASS's as candidates: whole, with the depth divided among blocks, and as stream-K.

#include <cutlass/gemm/device/gemm_universal.h>
#include <cutlass/gemm/threadblock/threadblock_swizzle_streamk.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "cutlass_kernels.hpp"

namespace weft::cutlass_kernels {

/// Extents of what a block, a warp and an instruction multiply at a time.
using cutlass::gemm::GemmShape;

/// The kernels of a kind of arithmetic. Alignment is counted in floats, of the rows of A and B.
template <typename Class, typename Instruction, typename Operator, int alignment>
struct Kernels {
  template <typename Block, typename Warp, int stages, typename Order>
  using Gemm = cutlass::gemm::device::GemmUniversal<
      float, cutlass::layout::RowMajor, float, cutlass::layout::RowMajor, float, cutlass::layout::RowMajor,
      float, Class, cutlass::arch::Sm80, Block, Warp, Instruction,
      cutlass::epilogue::thread::LinearCombination<float, alignment, float, float>, Order, stages, alignment,
      alignment, Operator>;

  template <typename Block, typename Warp, int stages>
  static void add(const Sgemm& p, List<Candidate>& found) {
    using cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle;
    constexpr std::int64_t most_blocks = 1024;  // of a depth that is divided
    constexpr int least_depth = 128;
    const std::int64_t tiles = blocks_over(p.m, Block::kM) * blocks_over(p.n, Block::kN);
    for (const int parts : {1, 2, 3, 4, 6, 8, 12, 16, 32, 64}) {
      if (parts > 1 && (tiles * parts > most_blocks || p.k / parts < least_depth)) break;
      add<Gemm<Block, Warp, stages, GemmIdentityThreadblockSwizzle<8>>, Block>(p, stages, parts, false,
                                                                               found);
    }
    add<Gemm<Block, Warp, stages, GemmIdentityThreadblockSwizzle<1>>, Block>(p, stages, 1, false, found);
    add<Gemm<Block, Warp, stages, cutlass::gemm::threadblock::ThreadblockSwizzleStreamK>, Block>(p, stages, 1,
                                                                                                 true, found);
  }

 private:
  template <typename Kernel>
  static typename Kernel::Arguments arguments(const Sgemm& p, int parts) {
    // Nothing lies behind the matrices that would be the next of a batch.
    return {cutlass::gemm::GemmUniversalMode::kGemm,
            {p.m, p.n, p.k},
            parts,
            {p.alpha, p.beta},
            p.a,
            p.b,
            p.c,
            p.c,
            0,
            0,
            0,
            0,
            p.lda,
            p.ldb,
            p.ldc,
            p.ldc};
  }

  template <typename Kernel, typename Block>
  static void add(const Sgemm& p, int stages, int parts, bool stream_k, List<Candidate>& found) {
    const auto asked = arguments<Kernel>(p, parts);
    if (Kernel::can_implement(asked) != cutlass::Status::kSuccess ||
        Kernel::get_workspace_size(asked) > workspace_bytes) {
      return;
    }
    const auto launch = [parts](cudaStream_t stream, const Sgemm& q) {
      Kernel kernel;
      const cutlass::Status status = kernel(arguments<Kernel>(q, parts), q.workspace, stream);
      if (status != cutlass::Status::kSuccess) throw std::runtime_error(cutlassGetStatusString(status));
    };
    found.push_back({launch,
                     {double{Block::kM}, double{Block::kN}, double{Block::kK}, double(stages), double(parts),
                      double(stream_k)}});
  }
};

}  // namespace weft::cutlass_kernels
