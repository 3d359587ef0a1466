#pragma once

/// @file
/// Comparison of a buffer with what it should hold. Nothing passes by accident: a NaN is never within a
/// bound, an element that was not written still holds poison, and the guards are looked at each time.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "check/buffer.hpp"
#include "check/pattern.hpp"
#include "device/parallel.hpp"
#include "step/mismatch.hpp"

namespace weft {

/// What an array is called in reports, and how its elements are counted.
struct ArrayName {
  std::string name;  ///< "output"
  Numbers shape;     ///< extents, the last one contiguous
};

/// A value as text: `1.5 (0x3fc00000)`.
std::string value_text(float value);
std::string value_text(double value);
std::string value_text(std::int32_t value);
std::string value_text(std::uint32_t value);
std::string value_text(std::int64_t value);
std::string value_text(std::uint64_t value);

/// The indices of the element at `offset` of a row-major array.
Numbers unravel(std::int64_t offset, const Numbers& shape);

/// A preparation for a range of offsets that takes none.
struct NoPreparation {
  void operator()(std::int64_t /*first*/, std::int64_t /*last*/) const {}
};

namespace detail {

/// An element that is not as it should be.
template <typename T>
struct Found {
  std::int64_t offset;
  T value;
};

/// First of the elements [first, last) for which `bad(value, offset)` holds.
/// @param prepare called with each range of offsets before its elements are asked for
template <typename T, typename Memory, typename Bad, typename Prepare = NoPreparation>
std::optional<Found<T>> find_first(const GuardedBuffer<T, Memory>& buffer, std::int64_t first,
                                   std::int64_t last, const Bad& bad, const Prepare& prepare = {}) {
  const Chunk<T> chunk(last - first);
  for (; first < last; first += chunk_elements) {
    const std::int64_t end_of_chunk = std::min(last, first + chunk_elements);
    prepare(first, end_of_chunk);
    buffer.copy_out(first, end_of_chunk, chunk.data());
    std::mutex mutex;
    std::optional<Found<T>> found;
    for_each_range(first, end_of_chunk, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const T value = chunk.data()[i - first];
        if (!bad(value, i)) continue;
        const std::scoped_lock lock(mutex);
        if (!found || i < found->offset) found = Found<T>{i, value};
        return;
      }
    });
    if (found) return found;
  }
  return std::nullopt;
}

template <typename T>
bool same_bits(T a, T b) {
  return std::bit_cast<Bits<T>>(a) == std::bit_cast<Bits<T>>(b);
}

/// Whether each element has the bits that belong there.
/// @param write writes what belongs into the elements [first, last): `write(first, last, values)`
template <typename T, typename Memory, typename Write>
bool holds(const GuardedBuffer<T, Memory>& buffer, const Write& write) {
  constexpr std::int64_t piece = 1024;  // what is worked out at a time stays in a cache
  std::atomic<bool> same = true;
  const Chunk<T> chunk(buffer.size());
  for (std::int64_t first = 0; first < buffer.size() && same; first += chunk_elements) {
    const std::int64_t last = std::min(buffer.size(), first + chunk_elements);
    buffer.copy_out(first, last, chunk.data());
    for_each_range(first, last, [&](std::int64_t begin, std::int64_t end) {
      std::array<T, piece> expected{};
      for (std::int64_t next = begin; next < end && same; next += piece) {
        const std::int64_t behind = std::min(end, next + piece);
        write(next, behind, expected.data());
        const auto bytes = static_cast<std::size_t>(behind - next) * sizeof(T);
        if (std::memcmp(expected.data(), chunk.data() + (next - first), bytes) != 0) same = false;
      }
    });
  }
  return same;
}

/// What a wrong value tells by itself.
template <typename T>
std::string_view hint(T got) {
  if (same_bits(got, poison<T>())) return "never written: the poison is still there";
  if (same_bits(got, guard<T>())) return "read out of bounds: this is what guard zones hold";
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(got)) return "NaN";
  }
  return {};
}

/// First element of the guards that was written.
template <typename T, typename Memory>
std::optional<Mismatch> touched_guard(const GuardedBuffer<T, Memory>& buffer, const ArrayName& named) {
  const auto written = [](T value, std::int64_t) { return !same_bits(value, guard<T>()); };
  const std::int64_t size = buffer.size();
  auto found = find_first(buffer, -buffer.guard_elements, 0, written);
  const std::string side = found ? "before" : "after";
  if (!found) found = find_first(buffer, size, size + buffer.guard_elements, written);
  if (!found) return std::nullopt;
  return Mismatch{"guard " + side + ' ' + named.name,
                  {found->offset},
                  "to stay untouched",
                  value_text(found->value),
                  "written out of bounds"};
}

}  // namespace detail

/// Compares bit by bit, as moves must be compared.
/// @param expected the value that belongs at an offset
/// @param before the value that belonged there in the launch before, to tell a stale value from a wrong one
/// @return the first element that differs, else the first touched guard, else nothing
template <typename T, typename Memory, typename Expected, typename Before>
std::optional<Mismatch> compare(const GuardedBuffer<T, Memory>& buffer, const ArrayName& named,
                                const Expected& expected, const Before& before) {
  const auto found = detail::find_first(buffer, 0, buffer.size(), [&](T value, std::int64_t i) {
    return !detail::same_bits(value, static_cast<T>(expected(i)));
  });
  if (!found) return detail::touched_guard(buffer, named);
  std::string hint{detail::hint(found->value)};
  if (hint.empty() && detail::same_bits(found->value, static_cast<T>(before(found->offset)))) {
    hint = "stale: right for the launch before";
  }
  return Mismatch{named.name, unravel(found->offset, named.shape),
                  value_text(static_cast<T>(expected(found->offset))), value_text(found->value), hint};
}

/// Compares by a bound: |got - reference| <= bound, which a NaN never satisfies. Where the reference is NaN
/// or infinite, so must the element be, and no pattern that checks write.
/// @param reference the value that belongs at an offset, in double precision
/// @param bound how far from it the element may lie; follows from the number of operations
/// @param before the reference of the launch before
/// @param prepare called with each range of offsets before the reference is asked for its elements
/// @return the first element out of bounds, else the first touched guard, else nothing
template <typename T, typename Memory, typename Reference, typename Bound, typename Before,
          typename Prepare = NoPreparation>
std::optional<Mismatch> compare_within(const GuardedBuffer<T, Memory>& buffer, const ArrayName& named,
                                       const Reference& reference, const Bound& bound, const Before& before,
                                       const Prepare& prepare = {}) {
  const auto near = [&](T value, std::int64_t i, double target) {
    if (std::isnan(target)) {
      return std::isnan(value) && !detail::same_bits(value, poison<T>()) &&
             !detail::same_bits(value, guard<T>());
    }
    if (std::isinf(target)) return static_cast<double>(value) == target;
    return std::abs(static_cast<double>(value) - target) <= bound(i);
  };
  const auto found = detail::find_first(
      buffer, 0, buffer.size(), [&](T value, std::int64_t i) { return !near(value, i, reference(i)); },
      prepare);
  if (!found) return detail::touched_guard(buffer, named);
  const std::int64_t offset = found->offset;
  std::string hint{detail::hint(found->value)};
  if (hint.empty() && near(found->value, offset, before(offset))) hint = "stale: right for the launch before";
  return Mismatch{named.name, unravel(offset, named.shape),
                  value_text(reference(offset)) + " within " + value_text(static_cast<double>(bound(offset))),
                  value_text(found->value), hint};
}

/// Checks that a launch left its input and the input's guards alone.
/// @param filled the value with which each element was filled
template <typename T, typename Memory, typename Filled>
std::optional<Mismatch> unchanged(const GuardedBuffer<T, Memory>& buffer, const ArrayName& named,
                                  const Filled& filled) {
  const auto found = detail::find_first(buffer, 0, buffer.size(), [&](T value, std::int64_t i) {
    return !detail::same_bits(value, static_cast<T>(filled(i)));
  });
  if (!found) return detail::touched_guard(buffer, named);
  return Mismatch{named.name, unravel(found->offset, named.shape),
                  value_text(static_cast<T>(filled(found->offset))), value_text(found->value),
                  "an input was written"};
}

}  // namespace weft
