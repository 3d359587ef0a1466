#include "binary/mangled_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <regex>

namespace weft {
namespace {

/// The names of nvcc for what is internal to a module, and ours for a program: see chapter.cmake.
constexpr std::string_view unnamed = "_GLOBAL__N_";
constexpr std::string_view internal = "_INTERNAL_";
constexpr std::string_view program = "weft_program_";

/// A component of a mangled name: <length><identifier>. The length says where the identifier ends, its digits
/// may run into the next length.
struct Component {
  std::string_view identifier;  ///< empty if no component begins there
  std::size_t end = 0;
};

Component component_at(std::string_view name, std::size_t begin) {
  constexpr std::size_t most_digits = 5;
  std::size_t end = begin;
  while (end < name.size() && end - begin < most_digits && is_digit(name[end])) ++end;
  if (end == begin) return {};
  const auto length = static_cast<std::size_t>(std::stoi(std::string(name.substr(begin, end - begin))));
  if (length == 0 || end + length > name.size() || is_digit(name[end])) return {};
  return {name.substr(end, length), end + length};
}

/// Where a literal or the extent of an array ends, whose digits are no length; `begin` if there is none.
std::size_t end_of_number(std::string_view name, std::size_t begin) {
  std::size_t end = begin + 1;
  const bool literal = name[begin] == 'L';
  if (literal) ++end;  // its type
  if ((!literal && name[begin] != 'A') || end >= name.size()) return begin;
  if (literal && name[end] == 'n') ++end;
  const std::size_t digits = end;
  while (end < name.size() && is_digit(name[end])) ++end;
  const bool ends = end < name.size() && name[end] == (literal ? 'E' : '_');
  return end > digits && ends ? end + 1 : begin;
}

/// A substitution `S0_` that counts one component less, if it stands for one behind `gone`.
/// @param digits in base 36; none for the first
std::string moved_substitution(const std::string& digits, int gone) {
  const int number = digits.empty() ? 0 : std::stoi(digits, nullptr, 36) + 1;
  if (number <= gone) return "S" + digits + "_";
  std::string moved;
  for (int rest = number - 2; rest >= 0; rest = rest < 36 ? -1 : rest / 36) {
    moved.insert(moved.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 36]);
  }
  return "S" + moved + "_";
}

/// without_module() of one word.
std::string plain_name(std::string_view name) {
  if (name.find(unnamed) == std::string_view::npos && name.find(internal) == std::string_view::npos &&
      name.find(program) == std::string_view::npos) {
    return std::string(name);
  }
  std::string result;
  int components = 0;
  int gone = -1;  // which component the program's namespace was
  for (std::size_t i = 0; i < name.size();) {
    if (const std::size_t end = end_of_number(name, i); end != i) {
      result += name.substr(i, end - i);
      i = end;
      continue;
    }
    if (const auto [identifier, end] = component_at(name, i); !identifier.empty()) {
      const bool known = identifier.starts_with(unnamed) || identifier.starts_with(internal);
      if (identifier.starts_with(program)) {
        if (gone < 0) gone = components;
      } else if (known) {
        result += identifier.starts_with(unnamed) ? unnamed : internal;
      } else {
        result += name.substr(i, end - i);
      }
      ++components;
      i = end;
      continue;
    }
    if (gone >= 0 && name[i] == 'S') {
      const std::size_t end = name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", i + 1);
      if (end != std::string_view::npos && name[end] == '_') {
        result += moved_substitution(std::string(name.substr(i + 1, end - i - 1)), gone);
        i = end + 1;
        continue;
      }
    }
    result += name[i++];
  }
  return result;
}

/// Where a function's parameters begin: behind the arguments of its template, in which there may be
/// parentheses.
std::size_t name_end(const std::string& name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0) return i;
  }
  return name.size();
}

}  // namespace

std::string without_module(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && belongs_to_name(text[end])) ++end;
    end = std::max(end, i + 1);
    result += plain_name(std::string_view(text).substr(i, end - i));
    i = end;
  }
  return result;
}

std::string readable_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return mangled;
  // Namespaces that are only there for the compiler.
  static const std::regex made(R"(\(anonymous namespace\)::|\bweft_program_\w+::)");
  std::string name = std::regex_replace(demangled.get(), made, "");
  name.erase(name_end(name));                       // parameters
  if (name.starts_with("void ")) name.erase(0, 5);  // templates carry their return type
  const std::size_t qualified = name.rfind("::", name.find('<'));
  if (qualified != std::string::npos) name.erase(0, qualified + 2);
  return name;
}

}  // namespace weft
