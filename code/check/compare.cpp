#include "check/compare.hpp"

#include <cstdio>

namespace weft {
namespace {

template <typename T>
std::string with_bits(T value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g (0x%0*llx)", digits, static_cast<double>(value),
                static_cast<int>(2 * sizeof(T)),
                static_cast<unsigned long long>(std::bit_cast<Bits<T>>(value)));
  return text;
}

}  // namespace

std::string value_text(float value) { return with_bits(value, 9); }
std::string value_text(double value) { return with_bits(value, 17); }
std::string value_text(std::int32_t value) { return std::to_string(value); }
std::string value_text(std::uint32_t value) { return std::to_string(value); }
std::string value_text(std::int64_t value) { return std::to_string(value); }
std::string value_text(std::uint64_t value) { return std::to_string(value); }

Numbers unravel(std::int64_t offset, const Numbers& shape) {
  Numbers index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    index[i] = offset % shape[i];
    offset /= shape[i];
  }
  return index;
}

std::string Mismatch::describe() const {
  std::string text = where + '[';
  for (std::size_t i = 0; i < index.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(index[i]);
  text += "]: expected " + expected + ", got " + got;
  return hint.empty() ? text : text + ": " + hint;
}

}  // namespace weft
