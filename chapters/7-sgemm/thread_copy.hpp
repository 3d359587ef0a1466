#pragma once

/// @file
/// How a block's threads share the moving of a tile from global to shared memory, through registers or past
/// them.

#include <cstdint>
#include <type_traits>

#include "kernel/copy_async.hpp"

namespace weft {

// [vector]
/// So many floats beside each other, as one instruction moves them: four where every row begins at a multiple
/// of 16 bytes and has a multiple of four columns, else one.
template <int width>
using Vector = std::conditional_t<width == 4, float4, float>;
// [vector]

// [idle]
/// Before the first of some copies the compiler puts loads of shared memory that no thread executes; a
/// counter of instructions counts them all the same.
inline constexpr int idle_loads = 3;
// [idle]

// [thread-copy]
/// One thread's share of the tiles that lie below each other in some columns of a matrix: from every
/// `rows_at_once`-th row of a tile `width` floats. What lies outside of the matrix is zero.
template <int width, int columns, int depth, int threads>
class ThreadCopy {
 public:
  static constexpr int in_row = columns / width;  // threads for a row
  static constexpr int rows_at_once = threads / in_row;
  static constexpr int count = depth / rows_at_once;
  static_assert(threads % in_row == 0 && depth % rows_at_once == 0);
  using Tile = float[depth][columns];
  using Registers = Vector<width>[count];

  /// @param height,extent rows and columns of the matrix
  __device__ ThreadCopy(const float* matrix, std::int64_t ld, int height, int extent, int first_column)
      : row_(static_cast<int>(threadIdx.x) / in_row),
        column_(static_cast<int>(threadIdx.x) % in_row * width),
        ld_(ld),
        from_(matrix + row_ * ld + first_column + column_),
        left_(first_column + column_ < extent ? height - row_ : 0) {}

  /// Loads the share of the next tile.
  __device__ void load(Registers& words) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      words[i] = i * rows_at_once < left_ ? *at(i) : Vector<width>{};
    }
    advance();
  }

  /// Stores what was loaded.
  __device__ void store(Tile& tile, const Registers& words) const {
#pragma unroll
    for (int i = 0; i < count; ++i) *place(tile, i) = words[i];
  }

  /// Starts to copy the share of the next tile.
  __device__ void copy(Tile& tile) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      copy_async(place(tile, i), at(i), i * rows_at_once < left_);
    }
    advance();
  }

 private:
  __device__ const Vector<width>* at(int i) const {
    return reinterpret_cast<const Vector<width>*>(from_ + std::int64_t{i} * rows_at_once * ld_);
  }
  __device__ Vector<width>* place(Tile& tile, int i) const {
    return reinterpret_cast<Vector<width>*>(&tile[row_ + i * rows_at_once][column_]);
  }
  __device__ void advance() {
    from_ += depth * ld_;
    left_ -= depth;
  }

  int row_, column_;
  std::int64_t ld_;
  const float* from_;
  int left_;  ///< rows of the matrix from the next tile's first one of this share on
};
// [thread-copy]

// [turned]
/// One thread's share of the tiles that lie beside each other in some rows of a matrix, and that become
/// columns on their way: single floats, of which eight lanes take those of a row that share a sector.
template <int rows, int pitch, int depth, int threads>
class TurnedCopy {
 public:
  static constexpr int in_row = 8;
  static constexpr int rows_at_once = threads / in_row;
  static_assert(threads % in_row == 0 && rows % rows_at_once == 0 && depth % in_row == 0);
  static_assert(pitch % 32 == 4, "columns of eight lanes begin in eight banks, four apart");
  using Tile = float[depth][pitch];

  /// @param height,extent rows and columns of the matrix
  __device__ TurnedCopy(const float* matrix, std::int64_t ld, int height, int extent, int first_row)
      : row_(static_cast<int>(threadIdx.x) / in_row),
        column_(static_cast<int>(threadIdx.x) % in_row),
        ld_(ld),
        from_(matrix + (first_row + row_) * ld + column_),
        rows_left_(height - first_row - row_),
        left_(extent - column_) {}

  /// Starts to copy the share of the next tile.
  __device__ void copy(Tile& tile) {
#pragma unroll
    for (int i = 0; i < rows; i += rows_at_once) {
#pragma unroll
      for (int j = 0; j < depth; j += in_row) {
        copy_async(&tile[column_ + j][row_ + i], from_ + i * ld_ + j, i < rows_left_ && j < left_);
      }
    }
    from_ += depth;
    left_ -= depth;
  }

 private:
  int row_, column_;
  std::int64_t ld_;
  const float* from_;
  int rows_left_;
  int left_;  ///< columns of the matrix from the next tile's first one of this share on
};
// [turned]

}  // namespace weft
