#include "emulator/memory/written_bytes.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace weft::emulator {
namespace {

constexpr std::uint64_t page_bytes = 4096;

/// The bits of a word that stand for the bytes [begin, end), cut to the word's own.
std::uint64_t mask_of(std::uint64_t word, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = std::max(begin, word * 64) - word * 64;
  const std::uint64_t count = std::min(end, word * 64 + 64) - word * 64 - first;
  return (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
}

}  // namespace

WrittenBytes::WrittenBytes(std::uint64_t bytes)
    : bytes_(bytes), chunks_((bytes + chunk_bytes - 1) / chunk_bytes) {
  static_assert(chunk_bytes / 8 == page_bytes);
  mapped_bytes_ = chunks_ * page_bytes + chunks_ * sizeof *written_in_;
  void* const mapping = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  // Atomics of zero: nothing needs to be constructed, and no page is touched.
  bits_ = static_cast<Word*>(mapping);
  written_in_ =
      reinterpret_cast<std::atomic<std::uint32_t>*>(static_cast<std::byte*>(mapping) + chunks_ * page_bytes);
}

WrittenBytes::~WrittenBytes() { munmap(bits_, mapped_bytes_); }

std::uint64_t WrittenBytes::capacity(std::uint64_t chunk) const {
  return std::min(chunk_bytes, bytes_ - chunk * chunk_bytes);
}

bool WrittenBytes::is_whole(std::uint64_t chunk) const {
  return written_in_[chunk].load(std::memory_order_acquire) >= capacity(chunk);
}

void WrittenBytes::release_bits(std::uint64_t chunk) {
  madvise(reinterpret_cast<std::byte*>(bits_) + chunk * page_bytes, page_bytes, MADV_DONTNEED);
}

void WrittenBytes::set_bits(std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
  std::uint32_t added = 0;
  for (std::uint64_t word = begin / 64; word * 64 < end; ++word) {
    const std::uint64_t mask = mask_of(word, begin, end);
    if ((bits_[word].load(std::memory_order_relaxed) & mask) == mask) continue;
    added += static_cast<std::uint32_t>(
        std::popcount(mask & ~bits_[word].fetch_or(mask, std::memory_order_relaxed)));
  }
  if (added == 0) return;
  const std::uint32_t before = written_in_[chunk].fetch_add(added, std::memory_order_acq_rel);
  if (before < capacity(chunk) && before + added >= capacity(chunk)) release_bits(chunk);
}

void WrittenBytes::mark(std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t end = offset + bytes;
  for (std::uint64_t chunk = offset / chunk_bytes; chunk * chunk_bytes < end; ++chunk) {
    if (is_whole(chunk)) continue;
    const std::uint64_t first = std::max(offset, chunk * chunk_bytes);
    const std::uint64_t last = std::min(end, (chunk + 1) * chunk_bytes);
    if (last - first == capacity(chunk)) {
      const bool had_bits = written_in_[chunk].exchange(static_cast<std::uint32_t>(chunk_bytes)) != 0;
      if (had_bits) release_bits(chunk);
    } else {
      set_bits(chunk, first, last);
    }
  }
}

void WrittenBytes::forget(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t end = offset + bytes;
  for (std::uint64_t chunk = offset / chunk_bytes; chunk * chunk_bytes < end; ++chunk) {
    const std::uint64_t first = std::max(offset, chunk * chunk_bytes);
    const std::uint64_t last = std::min(end, (chunk + 1) * chunk_bytes);
    if (is_whole(chunk)) {
      std::memset(static_cast<void*>(bits_ + chunk * chunk_bytes / 64), 0xff, page_bytes);
      written_in_[chunk] = static_cast<std::uint32_t>(capacity(chunk));
    }
    for (std::uint64_t word = first / 64; word * 64 < last; ++word) {
      const std::uint64_t mask = mask_of(word, first, last);
      written_in_[chunk] -= static_cast<std::uint32_t>(std::popcount(bits_[word].fetch_and(~mask) & mask));
    }
  }
}

template <bool written>
std::uint64_t WrittenBytes::find(std::uint64_t offset, std::uint64_t bytes) const {
  const std::uint64_t end = offset + bytes;
  for (std::uint64_t at = offset; at < end;) {
    const std::uint64_t chunk = at / chunk_bytes;
    const std::uint64_t last = std::min(end, (chunk + 1) * chunk_bytes);
    if (is_whole(chunk)) {
      if (written) return at;
      at = last;
      continue;
    }
    for (; at < last; at = (at / 64 + 1) * 64) {
      const std::uint64_t word = bits_[at / 64].load(std::memory_order_acquire);
      const std::uint64_t found = (written ? word : ~word) & mask_of(at / 64, at, last);
      if (found == 0) continue;
      if (!written && is_whole(chunk)) break;  // it has just become so, and its bits are gone
      return at / 64 * 64 + static_cast<std::uint64_t>(std::countr_zero(found));
    }
    at = last;
  }
  return end;
}

std::uint64_t WrittenBytes::first_unwritten(std::uint64_t offset, std::uint64_t bytes) const {
  return find<false>(offset, bytes);
}

std::uint64_t WrittenBytes::first_written(std::uint64_t offset, std::uint64_t bytes) const {
  return find<true>(offset, bytes);
}

WrittenBytes::Range WrittenBytes::whole_range(std::uint64_t offset) const {
  const std::uint64_t chunk = offset / chunk_bytes;
  if (!is_whole(chunk)) return {};
  std::uint64_t first = chunk;
  while (first > 0 && is_whole(first - 1)) --first;
  std::uint64_t last = chunk + 1;
  while (last < chunks_ && is_whole(last)) ++last;
  return {first * chunk_bytes, std::min(last * chunk_bytes, bytes_)};
}

}  // namespace weft::emulator
