#pragma once

/// @file
/// Names as nvcc mangles them, without what depends on where, when and with what they were compiled.

#include <cctype>
#include <string>
#include <string_view>

namespace weft {

inline bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Whether a character of PTX is one of a name, or of a register.
inline bool belongs_to_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// Calls `take` with each word of a text that consists of such characters.
template <typename Take>
void for_each_word(std::string_view text, const Take& take) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && belongs_to_name(text[end])) ++end;
    if (end > i) take(text.substr(i, end - i));
    i = end + 1;
  }
}

/// Mangled names without the name of their module, which nvcc makes up from file, process and contents, and
/// without the namespace of their program, if it was compiled together with others; see chapter.cmake.
std::string without_module(const std::string& text);

/// The name that a reader knows a kernel by: `transpose_padded`, without namespaces and parameters.
std::string readable_name(const std::string& mangled);

}  // namespace weft
