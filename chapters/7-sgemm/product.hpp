#pragma once

/// @file
/// One product to be checked or timed: its matrices between guard zones, and what C must hold afterwards.

#include <cstdint>
#include <optional>

#include "check/buffer.hpp"
#include "problem.hpp"
#include "step/function.hpp"
#include "step/step.hpp"

namespace weft {

struct ArrayName;

/// What a product is made of beyond its extents: scalars, space between rows, single values.
struct Operands {
  float alpha = 1;
  float beta = 0;
  int gap = 0;  ///< floats between the rows of each matrix, which nobody may touch
  /// What the element in the middle of a matrix holds instead.
  std::optional<float> in_a = std::nullopt, in_b = std::nullopt, in_c = std::nullopt;
};

/// An input by its place in its matrix. An odd seed gives a number from [-1, 1), an even one an integer from
/// -8 to 7: 2^17 products of two of these add up to less than 2^24.
float input(std::uint64_t seed, std::int64_t index);

/// Those of the places [first, last), many times as fast.
void write_inputs(std::uint64_t seed, std::int64_t first, std::int64_t last, float* values);

/// Queues a product, like Launch, whatever it needs to know for that.
using Work = Function<void(cudaStream_t, const Sgemm&)>;

/// The inputs follow from a seed. An odd one gives numbers all over [-1, 1), and C is held against the error
/// that float32 may make; an even one gives small integers, all of whose sums are exact, and so must C be.
class Product final : public Problem {
 public:
  /// @throws OutOfDeviceMemory if there is no room for the matrices
  /// @throws std::invalid_argument if an extent is larger than largest_extent
  Product(const Shape& shape, const Operands& operands, Work launch, Workspace workspace);

  void fill(std::uint64_t seed) override;
  void poison(cudaStream_t stream) override;
  void launch(cudaStream_t stream) override;
  Verdict verify() override;

 private:
  /// A matrix on the device, and the value that each of its elements was given.
  class Matrix {
   public:
    Matrix(std::int64_t rows, std::int64_t columns, int gap, std::uint64_t salt, std::optional<float> middle);

    [[nodiscard]] std::int64_t rows() const { return rows_; }
    [[nodiscard]] std::int64_t columns() const { return columns_; }
    [[nodiscard]] std::int64_t pitch() const { return pitch_; }
    [[nodiscard]] bool is_gap(std::int64_t place) const { return place % pitch_ >= columns_; }
    [[nodiscard]] float value(std::uint64_t seed, std::int64_t row, std::int64_t column) const;
    /// The values of the columns [first, last) of a row.
    void write_values(std::uint64_t seed, std::int64_t row, std::int64_t first, std::int64_t last,
                      float* values) const;
    [[nodiscard]] float filled(std::uint64_t seed, std::int64_t place) const;
    [[nodiscard]] ArrayName named(const char* name) const;
    void fill(std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) const;
    [[nodiscard]] Verdict changed(std::uint64_t seed, const char* name) const;

   private:
    std::int64_t rows_, columns_, pitch_;
    std::uint64_t salt_;
    std::optional<float> middle_;

   public:
    GuardedBuffer<float> buffer;
  };

  class Reference;

  [[nodiscard]] Sgemm arguments(float* c);
  void reset(GuardedBuffer<float>& c, cudaStream_t stream);

  int m_, n_, k_;
  Operands operands_;
  Work launch_;
  Matrix a_, b_, c_;
  GuardedBuffer<float> workspace_;
  std::uint64_t seed_ = 0, previous_seed_ = 0;
};

}  // namespace weft
