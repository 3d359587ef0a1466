#pragma once

/// @file
/// Bytes of which nothing is trusted: everything that is read from them passes here.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>

namespace weft {

/// A part of some bytes.
/// @throws std::runtime_error if they end before it does
inline std::span<const std::byte> part_of(std::span<const std::byte> bytes, std::uint64_t offset,
                                          std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) throw std::runtime_error("it is cut short");
  return bytes.subspan(offset, size);
}

/// A value that lies somewhere in some bytes, at any alignment.
/// @throws std::runtime_error if they end before it does
template <class T>
T read_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  T value{};
  std::memcpy(&value, part_of(bytes, offset, sizeof(T)).data(), sizeof(T));
  return value;
}

/// The text that starts at an offset and ends with a zero byte.
/// @throws std::runtime_error if there is none
inline std::string_view text_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) throw std::runtime_error("a name lies outside of it");
  const std::string_view rest(reinterpret_cast<const char*>(bytes.data()) + offset, bytes.size() - offset);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) throw std::runtime_error("a name has no end");
  return rest.substr(0, end);
}

}  // namespace weft
