#include "binary/ptx.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

namespace weft {
namespace {

/// Without comments; what stands in quotes stays.
std::string without_comments(std::string_view text) {
  std::string result;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text.substr(i, 2) == "//") {
      i = text.find('\n', i);
    } else if (!quoted && text.substr(i, 2) == "/*") {
      i = text.find("*/", i);
      i = i == std::string_view::npos ? i : i + 2;
    }
    if (i >= text.size()) break;
    result += text[i];
  }
  return result;
}

std::string trimmed(const std::string& line) {
  const auto first = line.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Whether a trimmed line begins with one of these words and goes on after a space.
bool is_directive(std::string_view line, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    return line.size() > name.size() && line.starts_with(name) && is_space(line[name.size()]);
  });
}

/// Whether a trimmed line is a label for the debugger, such as `$L__tmp12:`.
bool is_debug_label(std::string_view line) {
  for (const std::string_view name : {"$L__tmp", "$L__func_begin", "$L__func_end", "$L__sec_end"}) {
    if (!line.starts_with(name) || !line.ends_with(':')) continue;
    return std::ranges::all_of(line.substr(name.size(), line.size() - name.size() - 1), is_digit);
  }
  return false;
}

/// Lines that carry instructions or declarations: no positions in the source, no labels for the debugger.
std::string without_positions(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    if (line.empty() || is_directive(line, {".file", ".loc"}) || is_debug_label(line)) continue;
    result += line + '\n';
  }
  return result;
}

/// The name of the kernel that a statement defines; empty if it defines none.
std::string entry_name(std::string_view statement) {
  constexpr std::string_view entry = ".entry";
  const std::string_view head = statement.substr(0, statement.find('{'));
  const std::size_t at = head.find(entry);
  if (at == std::string_view::npos) return {};
  const auto* const first = std::find_if_not(head.begin() + at + entry.size(), head.end(), is_space);
  return {first, std::find_if(first, head.end(), [](char c) { return is_space(c) || c == '('; })};
}

bool belongs_to_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// Whether the compiler made up a name and numbered it within the module: labels such as `$L__BB3_12`, texts
/// such as `$str$2` and `__unnamed_1`, local memory, `__local_depot3`, and types of called functions,
/// `prototype_5`.
bool is_numbered(std::string_view name) {
  if (name.starts_with('$')) return true;
  constexpr std::array<std::string_view, 3> families{"__local_depot", "__unnamed_", "prototype_"};
  return std::ranges::any_of(families, [&](std::string_view family) {
    return name.size() > family.size() && name.starts_with(family) &&
           std::ranges::all_of(name.substr(family.size()), is_digit);
  });
}

/// With names that are numbered within the module numbered anew, in the order in which they appear: equal
/// names stay equal, and different ones different. The new ones, `$#0`, `$#1`, …, are no names of PTX's.
std::string numbered_anew(std::string_view text) {
  std::map<std::string_view, std::size_t> numbers;
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && belongs_to_name(text[end])) ++end;
    end = std::max(end, i + 1);
    const std::string_view word = text.substr(i, end - i);
    if (is_numbered(word)) {
      result += "$#" + std::to_string(numbers.try_emplace(word, numbers.size()).first->second);
    } else {
      result += word;
    }
    i = end;
  }
  return result;
}

}  // namespace

std::vector<Statement> statements(const std::string& ptx) {
  const std::string text = without_positions(without_comments(ptx));
  std::vector<Statement> result;
  const auto add = [&](const std::string& statement) {
    if (!statement.starts_with(".section")) {
      result.push_back({.entry = entry_name(statement), .text = without_module(statement)});
    }
  };
  std::string current;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    current += c;
    if (c == '{') ++depth;
    const bool closes = c == '}' && --depth == 0;
    const bool initializer = closes && text.substr(i + 1, 1) == ";";
    const bool ends =
        (depth == 0 && c == ';') || (closes && !initializer) ||
        (depth == 0 && c == '\n' && is_directive(trimmed(current), {".version", ".target", ".address_size"}));
    if (!ends) continue;
    add(trimmed(current));
    current.clear();
  }
  if (!trimmed(current).empty()) add(trimmed(current));
  return result;
}

std::set<std::string> entries(const std::vector<Statement>& statements) {
  std::set<std::string> names;
  for (const Statement& statement : statements) names.insert(statement.entry);
  names.erase("");
  return names;
}

std::string without_module(const std::string& text) {
  static const std::string_view unnamed = "_GLOBAL__N_";
  static const std::string_view internal = "_INTERNAL_";
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    const std::string_view rest = std::string_view(text).substr(end);
    if (end > i && end - i < 6 && (rest.starts_with(unnamed) || rest.starts_with(internal))) {
      // <length><identifier>: the length says where the identifier ends, its digits may run into the next
      // length
      const auto length = static_cast<std::size_t>(std::stoi(text.substr(i, end - i)));
      result += rest.starts_with(unnamed) ? unnamed : internal;
      i = end + length;
    } else {
      end = std::max(end, i + 1);
      result += text.substr(i, end - i);
      i = end;
    }
  }
  return result;
}

std::string normalized(const std::vector<Statement>& statements, const std::set<std::string>& kernels) {
  std::string result;
  for (const Statement& statement : statements) {
    if (statement.entry.empty() || kernels.contains(statement.entry)) result += statement.text + '\n';
  }
  return numbered_anew(result);
}

}  // namespace weft
