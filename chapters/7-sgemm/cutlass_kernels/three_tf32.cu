#include "tiles.hpp"

namespace weft::cutlass_kernels {
namespace {
template <int alignment>
using ThreeTf32 = Kernels<cutlass::arch::OpClassTensorOp, GemmShape<16, 8, 8>,
                          cutlass::arch::OpMultiplyAddFastF32, alignment>;
}  // namespace

extern "C" void weft_cutlass_three_tf32(const Sgemm& p, List<Candidate>& found) {
  ThreeTf32<1>::add<GemmShape<128, 128, 16>, GemmShape<32, 64, 16>, 4>(p, found);
  ThreeTf32<4>::add<GemmShape<128, 128, 32>, GemmShape<32, 64, 32>, 3>(p, found);
  ThreeTf32<4>::add<GemmShape<128, 64, 32>, GemmShape<64, 32, 32>, 3>(p, found);
  ThreeTf32<4>::add<GemmShape<128, 64, 16>, GemmShape<64, 32, 16>, 4>(p, found);
  ThreeTf32<4>::add<GemmShape<64, 128, 16>, GemmShape<32, 64, 16>, 4>(p, found);
}

}  // namespace weft::cutlass_kernels
