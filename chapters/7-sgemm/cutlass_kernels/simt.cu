#include "tiles.hpp"

namespace weft::cutlass_kernels {

extern "C" void weft_cutlass_multiply_adds(const Sgemm& p, List<Candidate>& found) {
  using Simt = Kernels<cutlass::arch::OpClassSimt, GemmShape<1, 1, 1>, cutlass::arch::OpMultiplyAdd, 1>;
  Simt::add<GemmShape<128, 256, 8>, GemmShape<64, 64, 8>, 5>(p, found);
  Simt::add<GemmShape<256, 128, 8>, GemmShape<64, 64, 8>, 5>(p, found);
  Simt::add<GemmShape<128, 128, 8>, GemmShape<32, 64, 8>, 5>(p, found);
  Simt::add<GemmShape<128, 128, 8>, GemmShape<32, 64, 8>, 4>(p, found);
  Simt::add<GemmShape<128, 64, 8>, GemmShape<64, 32, 8>, 5>(p, found);
  Simt::add<GemmShape<64, 128, 8>, GemmShape<32, 64, 8>, 5>(p, found);
  Simt::add<GemmShape<64, 64, 8>, GemmShape<32, 64, 8>, 5>(p, found);
}

}  // namespace weft::cutlass_kernels
