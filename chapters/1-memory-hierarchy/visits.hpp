#pragma once

/// @file
/// What the steps have in common that time visits to single lines of the L2, from one multiprocessor or from
/// each.

#include <utility>

#include "latency.hpp"

namespace weft {

/// The number of the multiprocessor that a block runs on.
__device__ inline unsigned multiprocessor() {
  // NOLINTNEXTLINE(cppcoreguidelines-init-variables)
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

// [timed]
/// How a line is visited: by a load, or by an atomic, which is done in the half that is the line's home.
enum class Visit : std::uint8_t { load, atomic };

/// Visits the link at an address, past the L1.
/// @return the cycles of the visit, with those of reading the clock
template <Visit how>
__device__ unsigned timed(unsigned long long& at) {
  if (at == 0) return 0;  // no link is 0: so the clock is not read before the address has come
  const clock_t before = clock();
  if constexpr (how == Visit::atomic) {
    asm volatile("atom.global.or.b64 %0, [%0], 0;" : "+l"(at) : : "memory");
  } else {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
    at = __ldcg(reinterpret_cast<const unsigned long long*>(at));
  }
  if (at == 0) return 0;  // nor is it read again before the link has come
  return static_cast<unsigned>(clock() - before);
}
// [timed]

/// The line behind the one whose first link lies there.
__device__ inline unsigned long long next_line(unsigned long long at) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
  return __ldcg(reinterpret_cast<const unsigned long long*>(at) + 1);
}

/// Lines that lie so many bytes apart. The first link of each leads to itself, so that a visit must have
/// ended before the next begins; the second leads to the line behind it, that of the last to the first.
class Lines : public ArrayProblem {
 public:
  Lines(std::int64_t lines, std::int64_t bytes_apart)
      : lines_(lines),
        apart_(bytes_apart / std::int64_t{sizeof(Link)}),
        links_(input<Link>("lines", {lines * apart_}, [this](auto, auto index) {
          return line(index / apart_ + (index % apart_ == 0 ? 0 : 1));
        })) {}

  [[nodiscard]] Link* first() const { return links_.data(); }

  /// In links.
  [[nodiscard]] std::int64_t apart() const { return apart_; }

  /// Where walks end: `line(walk)`.
  GuardedBuffer<Link>& ends(std::int64_t walks, Function<std::int64_t(std::int64_t)> of_walk) {
    return output<Link>("ends", {walks}, [this, of_walk = std::move(of_walk)](auto, auto walk) {
      return line(of_walk(walk));
    });
  }

 private:
  [[nodiscard]] Link line(std::int64_t number) const {
    return {reinterpret_cast<unsigned long long>(links_.data() + number % lines_ * apart_)};
  }

  std::int64_t lines_, apart_;
  GuardedBuffer<Link>& links_;
};

}  // namespace weft
