#pragma once

/// @file
/// Which bytes of an allocation were ever written.
///
/// One bit per byte, but only where it is needed: a chunk of 32 KiB whose bytes are all written gives its
/// bits back to the system, and one that nothing was written to never had them.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weft::emulator {

/// Kernels mark and look from many threads; `forget` must be alone.
class WrittenBytes {
 public:
  /// @param bytes of the allocation, of which none is written
  explicit WrittenBytes(std::uint64_t bytes);
  WrittenBytes(const WrittenBytes&) = delete;
  WrittenBytes& operator=(const WrittenBytes&) = delete;
  ~WrittenBytes();

  /// Notes that a range was written. All offsets count from the start of the allocation.
  void mark(std::uint64_t offset, std::uint64_t bytes);

  /// Notes that a range now holds what was never written.
  void forget(std::uint64_t offset, std::uint64_t bytes);

  /// @return the offset of the first byte of a range that was not written; the range's end if there is none
  [[nodiscard]] std::uint64_t first_unwritten(std::uint64_t offset, std::uint64_t bytes) const;

  /// @return the offset of the first byte of a range that was written; the range's end if there is none
  [[nodiscard]] std::uint64_t first_written(std::uint64_t offset, std::uint64_t bytes) const;

  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  /// A range around an offset all of whose bytes are written; empty if none is known.
  [[nodiscard]] Range whole_range(std::uint64_t offset) const;

 private:
  static constexpr std::uint64_t chunk_bytes = std::uint64_t{32} << 10;
  using Word = std::atomic<std::uint64_t>;

  [[nodiscard]] std::uint64_t capacity(std::uint64_t chunk) const;
  [[nodiscard]] bool is_whole(std::uint64_t chunk) const;
  template <bool written>
  [[nodiscard]] std::uint64_t find(std::uint64_t offset, std::uint64_t bytes) const;
  void set_bits(std::uint64_t chunk, std::uint64_t begin, std::uint64_t end);
  void release_bits(std::uint64_t chunk);

  std::uint64_t bytes_;
  std::uint64_t chunks_;
  std::uint64_t mapped_bytes_;
  Word* bits_;
  std::atomic<std::uint32_t>* written_in_;  ///< bytes per chunk; may be too many in a whole one
};

}  // namespace weft::emulator
