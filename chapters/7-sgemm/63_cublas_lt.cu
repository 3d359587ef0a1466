// The fastest of all the algorithms that cuBLAS has for the product, found by trying each.
#include "kernel/cublas_lt.hpp"
#include "search.hpp"

namespace {
struct Extents {
  double rows, columns;
};

/// cublasLtMatmulTile_t, whose rows are columns to us.
Extents tile_of(int number) {
  constexpr Extents tiles[] = {{0, 0},    {8, 8},    {16, 8},    {8, 16},    {32, 8},   {16, 16},  {8, 32},
                               {64, 8},   {32, 16},  {16, 32},   {8, 64},    {32, 32},  {64, 32},  {32, 64},
                               {128, 32}, {64, 64},  {32, 128},  {128, 64},  {64, 128}, {256, 64}, {128, 128},
                               {64, 256}, {512, 64}, {256, 128}, {128, 256}, {64, 512}};
  return tiles[static_cast<std::size_t>(number) < std::size(tiles) ? number : 0];
}

// [candidates]
/// A matrix row by row is its transpose column by column, and C' = B' A': so A and B change places.
List<Candidate> candidates(const Sgemm& p) {
  static const CublasLt cublas;
  const CublasLt::Product product = cublas.product(p.n, p.m, p.k, p.ldb, p.lda, p.ldc, workspace_bytes);
  List<Candidate> found;
  for (const CublasLt::Algorithm& algorithm : cublas.algorithms(product)) {
    const Extents tile = tile_of(cublas.setting(algorithm, CublasLt::tile));
    const auto number = [&](CublasLt::Setting setting) {
      return static_cast<double>(cublas.setting(algorithm, setting));
    };
    found.push_back({[=](cudaStream_t stream, const Sgemm& q) {
                       cublas.multiply(stream, product, algorithm, q.alpha, q.b, q.a, q.beta, q.c,
                                       q.workspace);
                     },
                     {number(CublasLt::number), tile.rows, tile.columns, number(CublasLt::split_k),
                      number(CublasLt::stages), number(CublasLt::swizzle)}});
  }
  return found;
}
// [candidates]
}  // namespace

// [step]
void weft::register_steps() {
  add_fastest(
      "cublas-lt",
      {.candidates = candidates,
       .properties = {"algorithm", "tile-rows", "tile-columns", "split-k", "stages-number", "swizzle"},
       .most_error = 1},
      {.kind = Kind::peer, .workspace = workspace_of_search, .everywhere = true});
}
// [step]
