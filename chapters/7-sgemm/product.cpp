#include "product.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "check/compare.hpp"
#include "kernel/cublas.hpp"
#include "step/mismatch.hpp"

namespace weft {
namespace {

/// More products than these take the host tenths of a second to add up in double precision.
constexpr double most_products_on_host = 0x1p29;

int extent(std::int64_t extent) {
  if (extent > largest_extent) {
    throw std::invalid_argument(std::to_string(extent) + " is more rows or columns than this chapter's 2^30");
  }
  return static_cast<int>(extent);
}

/// The input that is made of a hash.
float input_of(std::uint64_t seed, float hashed) {
  constexpr std::uint32_t low_24_bits = (1U << 24) - 1;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(hashed) & low_24_bits;
  if (seed % 2 == 0) return static_cast<float>(static_cast<int>(bits >> 20) - 8);
  return static_cast<float>(static_cast<int>(bits) - (1 << 23)) * 0x1p-23F;
}

std::int64_t floats_of_workspace(const Shape& shape, Workspace workspace) {
  return workspace != nullptr ? workspace(shape[0], shape[1], shape[2]) : 0;
}

}  // namespace

float input(std::uint64_t seed, std::int64_t index) { return input_of(seed, hashed_float(seed, index)); }

void write_inputs(std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) {
  hashed_floats(seed, first, last, values);
  for (std::int64_t i = 0; i < last - first; ++i) values[i] = input_of(seed, values[i]);
}

Product::Matrix::Matrix(std::int64_t rows, std::int64_t columns, int gap, std::uint64_t salt,
                        std::optional<float> middle)
    : rows_(rows),
      columns_(columns),
      pitch_(std::max<std::int64_t>(columns, 1) + gap),
      salt_(salt),
      middle_(middle),
      buffer(rows == 0 || columns == 0 ? 0 : (rows - 1) * pitch_ + columns) {}

float Product::Matrix::value(std::uint64_t seed, std::int64_t row, std::int64_t column) const {
  if (middle_ && row == rows_ / 2 && column == columns_ / 2) return *middle_;
  return input(seed + salt_, row * columns_ + column);
}

void Product::Matrix::write_values(std::uint64_t seed, std::int64_t row, std::int64_t first,
                                   std::int64_t last, float* values) const {
  write_inputs(seed + salt_, row * columns_ + first, row * columns_ + last, values);
  const std::int64_t middle = columns_ / 2;
  if (middle_ && row == rows_ / 2 && first <= middle && middle < last) values[middle - first] = *middle_;
}

ArrayName Product::Matrix::named(const char* name) const { return {name, {rows_, pitch_}}; }

/// What is between the rows is as poisonous as the guards. Without it no place needs to be taken apart into
/// row and column: a division takes longer than the value.
float Product::Matrix::filled(std::uint64_t seed, std::int64_t place) const {
  if (pitch_ == columns_ && !middle_) return input(seed + salt_, place);
  return is_gap(place) ? guard<float>() : value(seed, place / pitch_, place % pitch_);
}

void Product::Matrix::fill(std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) const {
  if (pitch_ == columns_ && !middle_) return write_inputs(seed + salt_, first, last, values);
  for (std::int64_t place = first; place < last; ++place) values[place - first] = filled(seed, place);
}

Verdict Product::Matrix::changed(std::uint64_t seed, const char* name) const {
  const auto right = [&](std::int64_t first, std::int64_t last, float* values) {
    fill(seed, first, last, values);
  };
  if (detail::holds(buffer, right)) return detail::touched_guard(buffer, named(name));
  return unchanged(buffer, named(name), [&](std::int64_t place) { return filled(seed, place); });
}

/// What C must hold, and how far from it float32 may end.
///
/// However the k products of an element are added up, and with however few roundings, each of them goes
/// through at most k additions, and then through a product with alpha and the addition of beta C. With
/// u = 2^-24 the error is at most g (|alpha| sum |a| |b| + |beta c|), g = (k + 4) u / (1 - (k + 4) u)
/// (Higham, Accuracy and Stability of Numerical Algorithms, chapter 3); the sum is at most the product of the
/// lengths of the row and the column (Cauchy, Schwarz).
class Product::Reference {
 public:
  Reference(Product& product, std::uint64_t seed) : product_(product), seed_(seed) {
    const double products = static_cast<double>(product.m_) * product.n_ * product.k_;
    if (products > most_products_on_host) {
      multiply_by_cublas();
    } else {
      gather();
    }
    const double roundings = (product.k_ + 4) * 0x1p-24;
    factor_ = seed % 2 == 0 ? 0 : roundings / (1 - roundings);
    if (peer_) factor_ *= 2;  // either side may be so far off
    lengths();
  }

  /// Takes what cuBLAS says of a range of places, before they are asked for.
  void prepare(std::int64_t first, std::int64_t last) {
    if (!peer_) return;
    peer_->first = first;
    peer_->product.copy_out(first, last, peer_->chunk.data());
  }

  [[nodiscard]] double expected(std::int64_t place) const {
    if (peer_) return peer_->chunk.data()[place - peer_->first];
    const std::int64_t row = place / product_.c_.pitch();
    const std::int64_t column = place % product_.c_.pitch();
    if (product_.c_.is_gap(place)) return gap;
    const double sum = multiplies() ? product_.operands_.alpha * dot(row, column) : 0;
    return sum + old(row, column);
  }

  [[nodiscard]] double bound(std::int64_t place) const {
    if (factor_ == 0 || product_.c_.is_gap(place)) return 0;
    const std::int64_t row = place / product_.c_.pitch();
    const std::int64_t column = place % product_.c_.pitch();
    const double most =
        row_length_[static_cast<std::size_t>(row)] * column_length_[static_cast<std::size_t>(column)];
    return factor_ * (std::abs(product_.operands_.alpha) * most + std::abs(old(row, column)));
  }

  static constexpr float gap = 7;  ///< what lies between the rows of C, and must stay

 private:
  /// cuBLAS's product, and a chunk of it on the host.
  struct Peer {
    explicit Peer(std::int64_t size) : product(size), chunk(size) {}

    GuardedBuffer<float> product;
    Chunk<float> chunk;
    std::int64_t first = 0;  ///< the place where the chunk begins
  };

  [[nodiscard]] bool multiplies() const { return product_.operands_.alpha != 0 && product_.k_ != 0; }

  /// The summand beta C; nothing if beta is 0, whatever C holds.
  [[nodiscard]] double old(std::int64_t row, std::int64_t column) const {
    const double beta = product_.operands_.beta;
    return beta == 0 ? 0 : beta * product_.c_.value(seed_, row, column);
  }

  [[nodiscard]] double dot(std::int64_t row, std::int64_t column) const {
    const float* const x = rows_.data() + row * product_.k_;
    const float* const y = columns_.data() + column * product_.k_;
    return std::transform_reduce(x, x + product_.k_, y, 0.0, std::plus<>(),
                                 [](float a, float b) { return static_cast<double>(a) * b; });
  }

  /// Takes the rows of A and the columns of B, each in one piece.
  void gather() {
    const std::int64_t k = product_.k_;
    rows_.resize(static_cast<std::size_t>(product_.m_ * k));
    columns_.resize(static_cast<std::size_t>(product_.n_ * k));
    for_each_range(0, product_.m_ * k, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        rows_[static_cast<std::size_t>(i)] = product_.a_.value(seed_, i / k, i % k);
      }
    });
    for_each_range(0, product_.n_ * k, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        columns_[static_cast<std::size_t>(i)] = product_.b_.value(seed_, i % k, i / k);
      }
    });
  }

  /// Lets cuBLAS make the same product beside the one to be verified.
  void multiply_by_cublas() {
    static const Cublas cublas;
    GuardedBuffer<float>& other = peer_.emplace(product_.c_.buffer.size()).product;
    product_.reset(other, nullptr);
    const Sgemm p = product_.arguments(other.data());
    cublas.gemm(nullptr, Cublas::pedantic_math, p.n, p.m, p.k, p.alpha, p.b, static_cast<int>(p.ldb), p.a,
                static_cast<int>(p.lda), p.beta, p.c, static_cast<int>(p.ldc));
    cuda_check(cudaDeviceSynchronize());
  }

  /// The lengths of A's rows and of B's columns.
  void lengths() {
    row_length_.resize(static_cast<std::size_t>(product_.m_));
    column_length_.resize(static_cast<std::size_t>(product_.n_));
    if (factor_ == 0) return;
    const std::int64_t k = product_.k_;
    for_each_range(
        0, product_.m_,
        [&](std::int64_t begin, std::int64_t end) {
          std::vector<float> row(static_cast<std::size_t>(k));
          for (std::int64_t i = begin; i < end; ++i) {
            product_.a_.write_values(seed_, i, 0, k, row.data());
            double squares = 0;
            for (const double value : row) squares += value * value;
            row_length_[static_cast<std::size_t>(i)] = std::sqrt(squares);
          }
        },
        std::max<std::int64_t>(k, 1));
    for_each_range(
        0, product_.n_,
        [&](std::int64_t begin, std::int64_t end) {
          std::vector<float> piece(static_cast<std::size_t>(end - begin));
          std::vector<double> squares(piece.size());
          for (std::int64_t row = 0; row < k; ++row) {
            product_.b_.write_values(seed_, row, begin, end, piece.data());
            for (std::size_t i = 0; i < piece.size(); ++i) {
              squares[i] += static_cast<double>(piece[i]) * piece[i];
            }
          }
          for (std::size_t i = 0; i < piece.size(); ++i) {
            column_length_[static_cast<std::size_t>(begin) + i] = std::sqrt(squares[i]);
          }
        },
        std::max<std::int64_t>(k, 1));
  }

  Product& product_;
  std::uint64_t seed_;
  double factor_ = 0;
  std::vector<float> rows_, columns_;
  std::vector<double> row_length_, column_length_;
  std::optional<Peer> peer_;
};

Product::Product(const Shape& shape, const Operands& operands, Work launch, Workspace workspace)
    : m_(extent(shape.at(0))),
      n_(extent(shape.at(1))),
      k_(extent(shape.at(2))),
      operands_(operands),
      launch_(std::move(launch)),
      a_(m_, k_, operands.gap, 0, operands.in_a),
      b_(k_, n_, operands.gap, 1000, operands.in_b),
      c_(m_, n_, operands.gap, 2000, operands.in_c),
      workspace_(floats_of_workspace(shape, workspace)) {}

void Product::fill(std::uint64_t seed) {
  previous_seed_ = std::exchange(seed_, seed);
  for (Matrix* const matrix : {&a_, &b_}) {
    matrix->buffer.fill_ranges([&](std::int64_t first, std::int64_t last, float* values) {
      matrix->fill(seed_, first, last, values);
    });
  }
  workspace_.poison();
}

void Product::poison(cudaStream_t stream) { reset(c_.buffer, stream); }

/// Gives C what it holds before the launch: poison where beta is 0, which nobody may read.
void Product::reset(GuardedBuffer<float>& c, cudaStream_t stream) {
  if (operands_.beta == 0 && operands_.gap == 0) return c.poison(stream);
  c.fill([this](std::int64_t place) {
    if (c_.is_gap(place)) return Reference::gap;
    return operands_.beta == 0 ? weft::poison<float>() : c_.filled(seed_, place);
  });
}

Sgemm Product::arguments(float* c) {
  return {.m = m_,
          .n = n_,
          .k = k_,
          .alpha = operands_.alpha,
          .a = a_.buffer.data(),
          .lda = a_.pitch(),
          .b = b_.buffer.data(),
          .ldb = b_.pitch(),
          .beta = operands_.beta,
          .c = c,
          .ldc = c_.pitch(),
          .workspace = workspace_.data()};
}

// [blas]
/// An empty C launches nothing. If alpha is 0, BLAS reads neither A nor B: that is a product with k = 0.
void Product::launch(cudaStream_t stream) {
  Sgemm p = arguments(c_.buffer.data());
  if (p.m == 0 || p.n == 0) return;
  if (p.alpha == 0) p.k = 0;
  if (p.k == 0) p.alpha = 0;
  launch_(stream, p);
}
// [blas]

Verdict Product::verify() {
  Reference reference(*this, seed_);
  const auto expected = [&](std::int64_t place) { return reference.expected(place); };
  const auto bound = [&](std::int64_t place) { return reference.bound(place); };
  const auto before = [&](std::int64_t place) {
    Reference earlier(*this, previous_seed_);
    earlier.prepare(place, place + 1);
    return earlier.expected(place);
  };
  const auto prepare = [&](std::int64_t first, std::int64_t last) { reference.prepare(first, last); };
  if (auto mismatch = compare_within(c_.buffer, c_.named("C"), expected, bound, before, prepare)) {
    return mismatch;
  }
  for (const auto& [matrix, name] : {std::pair{&a_, "A"}, std::pair{&b_, "B"}}) {
    if (auto mismatch = matrix->changed(seed_, name)) return mismatch;
  }
  return std::nullopt;
}

}  // namespace weft
