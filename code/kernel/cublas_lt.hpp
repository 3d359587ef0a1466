#pragma once

/// @file
/// What a search through cuBLASLt's algorithms needs, looked up when it runs: so it builds where there is no
/// cuBLAS. The types and numbers are those of cublasLt.h.

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "step/text.hpp"

namespace weft {

/// A library handle, and the algorithms that it has for products in float32.
class CublasLt {
 public:
  /// cublasLtMatmulAlgo_t
  struct Algorithm {
    std::array<std::uint64_t, 8> data;
    bool operator==(const Algorithm&) const = default;
  };

  /// cublasLtMatmulAlgoConfigAttributes_t
  // NOLINTNEXTLINE(performance-enum-size): the library's own enumeration is an int
  enum Setting : int { number, tile, split_k, reduction, swizzle, option, stages };

  /// A product as cuBLAS sees it: matrices that lie column by column. C is m × n.
  struct Product {
    void* operation;  ///< cublasLtMatmulDesc_t
    void *a, *b, *c;  ///< cublasLtMatrixLayout_t
    std::int64_t m, n;
    std::size_t workspace;  ///< bytes that an algorithm may use
  };

  /// @throws Unavailable if there is no cuBLASLt
  CublasLt() {
    const std::string name = "libcublasLt.so." + std::to_string(CUDART_VERSION / 1000);
    library_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw Unavailable("this needs cuBLASLt, and " + name + " is not found");
    call("cublasLtCreate", &handle_);
  }

  /// The description lives as long as the program.
  [[nodiscard]] Product product(int m, int n, int k, std::int64_t lda, std::int64_t ldb, std::int64_t ldc,
                                std::size_t workspace) const {
    Product made{.operation = nullptr,
                 .a = nullptr,
                 .b = nullptr,
                 .c = nullptr,
                 .m = m,
                 .n = n,
                 .workspace = workspace};
    call("cublasLtMatmulDescCreate", &made.operation, in_float32, real_float32);
    call("cublasLtMatrixLayoutCreate", &made.a, real_float32, static_cast<std::uint64_t>(m),
         static_cast<std::uint64_t>(k), lda);
    call("cublasLtMatrixLayoutCreate", &made.b, real_float32, static_cast<std::uint64_t>(k),
         static_cast<std::uint64_t>(n), ldb);
    call("cublasLtMatrixLayoutCreate", &made.c, real_float32, static_cast<std::uint64_t>(m),
         static_cast<std::uint64_t>(n), ldc);
    return made;
  }

  /// What the heuristics propose with and without split-K and workspace, the best first, and then everything
  /// else that the library says can do the product with multiply-adds of float32.
  [[nodiscard]] std::vector<Algorithm> algorithms(const Product& product) const {
    std::vector<Algorithm> found;
    for (const std::size_t workspace : {product.workspace, std::size_t{0}}) {
      for (const unsigned reductions : {any_reduction, 0U}) propose(product, workspace, reductions, found);
    }
    std::array<int, 512> numbers{};
    int count = 0;
    call("cublasLtMatmulAlgoGetIds", handle_, in_float32, real_float32, real_float32, real_float32,
         real_float32, real_float32, static_cast<int>(numbers.size()), numbers.data(), &count);
    for (int i = 0; i < count; ++i) enumerate(product, numbers.at(static_cast<std::size_t>(i)), found);
    return found;
  }

  [[nodiscard]] int setting(const Algorithm& algorithm, Setting which) const {
    int value = 0;
    std::size_t written = 0;
    call("cublasLtMatmulAlgoConfigGetAttribute", &algorithm, int{which}, &value, sizeof value, &written);
    return value;
  }

  /// Queues C = alpha A B + beta C.
  /// @throws std::runtime_error if cuBLASLt refuses
  void multiply(cudaStream_t stream, const Product& product, const Algorithm& algorithm, float alpha,
                const float* a, const float* b, float beta, float* c, void* workspace) const {
    call("cublasLtMatmul", handle_, product.operation, &alpha, a, product.a, b, product.b, &beta, c,
         product.c, c, product.c, &algorithm, workspace, product.workspace, stream);
  }

 private:
  static constexpr int in_float32 = 68;                // cublasComputeType_t
  static constexpr int real_float32 = 0;               // cudaDataType_t
  static constexpr unsigned any_reduction = 7;         // cublasLtReductionScheme_t
  static constexpr double most_partial_sums = 0x1p25;  ///< of split-K: the rest is too slow to be looked at

  /// cublasLtMatmulHeuristicResult_t
  struct Proposal {
    Algorithm algorithm;
    std::size_t workspace;
    int status;
    float waves;
    std::array<int, 4> reserved;
  };

  void propose(const Product& product, std::size_t workspace, unsigned reductions,
               std::vector<Algorithm>& found) const {
    constexpr int workspace_attribute = 1;  // cublasLtMatmulPreferenceAttributes_t
    constexpr int reductions_attribute = 3;
    void* preference = nullptr;
    call("cublasLtMatmulPreferenceCreate", &preference);
    call("cublasLtMatmulPreferenceSetAttribute", preference, workspace_attribute, &workspace,
         sizeof workspace);
    call("cublasLtMatmulPreferenceSetAttribute", preference, reductions_attribute, &reductions,
         sizeof reductions);
    std::vector<Proposal> proposals(256);
    int count = 0;
    const int status =
        try_to("cublasLtMatmulAlgoGetHeuristic", handle_, product.operation, product.a, product.b, product.c,
               product.c, preference, static_cast<int>(proposals.size()), proposals.data(), &count);
    call("cublasLtMatmulPreferenceDestroy", preference);
    if (status != 0) return;  // it has none
    for (const Proposal& proposal : std::span(proposals).first(static_cast<std::size_t>(count))) {
      if (proposal.status == 0) keep(proposal.algorithm, found);
    }
  }

  /// All settings of one algorithm that can do the product.
  void enumerate(const Product& product, int algorithm_number, std::vector<Algorithm>& found) const {
    // cublasLtMatmulAlgoCapAttributes_t
    constexpr int splits_capability = 0, reductions_capability = 1, swizzles_capability = 2,
                  tiles_capability = 6, options_capability = 7, stages_capability = 13,
                  arithmetic_capability = 15;
    constexpr std::uint64_t multiply_adds = 1;  // cublasLtNumericalImplFlags_t
    Algorithm plain{};
    if (try_to("cublasLtMatmulAlgoInit", handle_, in_float32, real_float32, real_float32, real_float32,
               real_float32, real_float32, algorithm_number, &plain) != 0) {
      return;
    }
    if ((capability<std::uint64_t>(plain, arithmetic_capability) & multiply_adds) == 0) return;
    const bool splits = capability<int>(plain, splits_capability) != 0;
    const int reductions = capability<int>(plain, reductions_capability);
    // Of those with thousands of options no one is known to be fast.
    const int options = std::min(capability<int>(plain, options_capability), 3);
    const int swizzles = capability<int>(plain, swizzles_capability);
    for (const int tile_number : choices(plain, tiles_capability)) {
      for (const int stages_number : choices(plain, stages_capability)) {
        for (int option_number = 0; option_number <= options; ++option_number) {
          for (int swizzled = 0; swizzled <= swizzles; ++swizzled) {
            for (const int parts : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
              if (parts > 1 &&
                  (!splits || static_cast<double>(product.m * product.n) * parts > most_partial_sums)) {
                break;
              }
              for (const int scheme : {0, 1, 2, 4}) {
                if ((parts == 1) != (scheme == 0) || (scheme & ~reductions) != 0) continue;
                Algorithm set = plain;
                change(set, tile, tile_number);
                change(set, stages, stages_number);
                change(set, option, option_number);
                change(set, swizzle, swizzled);
                change(set, split_k, parts);
                change(set, reduction, scheme);
                if (can(product, set)) keep(set, found);
              }
            }
          }
        }
      }
    }
  }

  [[nodiscard]] bool can(const Product& product, const Algorithm& algorithm) const {
    Proposal checked{};
    return try_to("cublasLtMatmulAlgoCheck", handle_, product.operation, product.a, product.b, product.c,
                  product.c, &algorithm, &checked) == 0 &&
           checked.status == 0 && checked.workspace <= product.workspace;
  }

  /// A capability that is one number.
  template <typename Number>
  [[nodiscard]] Number capability(const Algorithm& algorithm, int which) const {
    Number number{};
    std::size_t written = 0;
    call("cublasLtMatmulAlgoCapGetAttribute", &algorithm, which, &number, sizeof number, &written);
    return number;
  }

  /// A capability that is a list of numbers; 0 alone, for a choice of the library's own, if it is empty.
  [[nodiscard]] std::vector<int> choices(const Algorithm& algorithm, int which) const {
    std::size_t bytes = 0;
    call("cublasLtMatmulAlgoCapGetAttribute", &algorithm, which, static_cast<int*>(nullptr), std::size_t{0},
         &bytes);
    std::vector<int> numbers(bytes / sizeof(int));
    if (numbers.empty()) return {0};
    call("cublasLtMatmulAlgoCapGetAttribute", &algorithm, which, numbers.data(), bytes, &bytes);
    return numbers;
  }

  void change(Algorithm& algorithm, Setting which, int value) const {
    static_cast<void>(
        try_to("cublasLtMatmulAlgoConfigSetAttribute", &algorithm, int{which}, &value, sizeof value));
  }

  static void keep(const Algorithm& algorithm, std::vector<Algorithm>& found) {
    if (std::ranges::find(found, algorithm) == found.end()) found.push_back(algorithm);
  }

  /// Calls a function of the library with arguments of just its parameters' types.
  template <typename... Arguments>
  [[nodiscard]] int try_to(const char* function, Arguments... arguments) const {
    void* const found = dlsym(library_, function);
    if (found == nullptr) throw std::runtime_error(std::string("cuBLASLt has no function ") + function);
    return reinterpret_cast<int (*)(Arguments...)>(found)(arguments...);
  }

  template <typename... Arguments>
  void call(const char* function, Arguments... arguments) const {
    const int status = try_to(function, arguments...);
    if (status == 0) return;
    throw std::runtime_error(std::string(function) + " failed with cuBLAS status " + std::to_string(status));
  }

  void* library_ = nullptr;
  struct Context* handle_ = nullptr;  // lives as long as the program, as in Cublas
};

}  // namespace weft
