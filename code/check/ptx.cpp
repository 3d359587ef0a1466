#include "check/ptx.hpp"

#include <cctype>
#include <regex>
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

/// Lines that carry instructions or declarations: no positions in the source, no labels for the debugger.
std::string without_positions(const std::string& text) {
  static const std::regex position(R"(\.file\s.*|\.loc\s.*|\$L__(tmp|func_begin|func_end|sec_end)\d*:)");
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    if (line.empty()) continue;
    const bool instruction = line[0] != '.' && line[0] != '$';  // most lines: they need no expression
    if (instruction || !std::regex_match(line, position)) result += line + '\n';
  }
  return result;
}

/// The module's statements: each ends with a semicolon or a closing brace outside of all braces, or is one of
/// the directives that end with their line.
std::vector<std::string> statements(const std::string& text) {
  static const std::regex one_line(R"(\s*\.(version|target|address_size)\s.*)");
  std::vector<std::string> result;
  std::string current;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    current += c;
    if (c == '{') ++depth;
    const bool closes = c == '}' && --depth == 0;
    const bool initializer = closes && text.substr(i + 1, 1) == ";";
    const bool ends = (depth == 0 && c == ';') || (closes && !initializer) ||
                      (depth == 0 && c == '\n' && std::regex_match(trimmed(current), one_line));
    if (!ends) continue;
    result.push_back(trimmed(current));
    current.clear();
  }
  if (!trimmed(current).empty()) result.push_back(trimmed(current));
  return result;
}

/// The name of the kernel that a statement defines; empty if it defines none.
std::string entry_name(const std::string& statement) {
  static const std::regex entry(R"(\.entry\s+([\w$]+))");
  const std::string head = statement.substr(0, statement.find('{'));
  std::smatch match;
  return std::regex_search(head, match, entry) ? match[1].str() : "";
}

std::vector<std::string> clean_statements(const std::string& ptx) {
  return statements(without_positions(without_comments(ptx)));
}

}  // namespace

std::set<std::string> entries(const std::string& ptx) {
  std::set<std::string> names;
  for (const std::string& statement : clean_statements(ptx)) names.insert(entry_name(statement));
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

std::string normalized(const std::string& ptx, const std::set<std::string>& kernels) {
  std::string result;
  for (const std::string& statement : clean_statements(ptx)) {
    const std::string name = entry_name(statement);
    if (!name.empty() && !kernels.contains(name)) continue;
    if (statement.starts_with(".section")) continue;
    result += statement + '\n';
  }
  return without_module(result);
}

}  // namespace weft
