#pragma once

/// @file
/// More memory than the host could verify in a time that a measurement has.

#include "past_l2.hpp"

namespace weft {

/// Lines that launches discard and write again. The host verifies copies of some, which a launch makes last.
class UnverifiedLines : public ArrayProblem {
 public:
  /// @param bytes that begin at a page of 2 MiB
  explicit UnverifiedLines(std::int64_t bytes)
      : size_(bytes + static_cast<std::int64_t>(page)), memory_(static_cast<std::size_t>(size_)) {}

  /// All lines become zeros, by copies alone.
  void fill(std::uint64_t seed) override {
    const List<std::byte> zeros(static_cast<std::size_t>(lesser(size_, std::int64_t{page})));
    DeviceMemory::copy_in(memory_.data(), zeros.data(), zeros.size());
    std::int64_t done = std::ssize(zeros);
    while (done < size_) {
      const std::int64_t next = lesser(done, size_ - done);
      DeviceMemory::copy_within(memory_.data() + done, memory_.data(), static_cast<std::size_t>(next));
      done += next;
    }
    ArrayProblem::fill(seed);
  }

  [[nodiscard]] std::uint32_t* data() const {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return reinterpret_cast<std::uint32_t*>(memory_.data() + (page - address % page) % page);
  }

 protected:
  /// Of so many lines, from the first on, a copy is verified: each word must be its own number.
  void verify_copy(const char* name, std::int64_t first, std::int64_t count) {
    const std::int64_t word = first * words_of_line, words = count * words_of_line;
    auto& copy = output<std::uint32_t>(
        name, {words}, [=](auto, std::int64_t index) { return static_cast<std::uint32_t>(word + index); });
    copies_.push_back({word, words, &copy});
  }

  /// Makes the copies.
  void copy(cudaStream_t stream) const {
    for (const Copy& copy : copies_) {
      DeviceMemory::copy_within(copy.to->data(), data() + copy.word, static_cast<std::size_t>(4 * copy.words),
                                stream);
    }
  }

 private:
  struct Copy {
    std::int64_t word, words;
    GuardedBuffer<std::uint32_t>* to;
  };

  static constexpr std::uintptr_t page = 2 * mebibyte;

  std::int64_t size_;
  DeviceMemory memory_;
  List<Copy> copies_;
};

}  // namespace weft
