#include "emulator/ptx/link.hpp"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "emulator/ptx/lexer.hpp"

namespace weft::emulator::ptx {
namespace {

/// No unit has so many source files.
constexpr std::uint64_t files_per_unit = 1000;

bool opens(const Token& token) { return token.is('{') || token.is('(') || token.is('['); }
bool closes(const Token& token) { return token.is('}') || token.is(')') || token.is(']'); }

bool is_linkage(const Token& token) {
  return token.is_directive("visible") || token.is_directive("weak") || token.is_directive("extern") ||
         token.is_directive("common");
}

/// Whether a declaration that starts so declares a name.
bool declares(const Token& token) {
  return token.is_directive("global") || token.is_directive("const") || token.is_directive("shared") ||
         token.is_directive("func");
}

/// Names of variables and functions that a unit keeps to itself.
std::set<std::string_view> local_names(std::string_view text) {
  std::set<std::string_view> names;
  int depth = 0;
  bool linked = false;
  bool declaring = false;
  for (Lexer lexer(text); lexer.peek().kind != Token::Kind::end;) {
    const Token token = lexer.next();
    if (opens(token)) ++depth;
    if (closes(token)) --depth;
    if (depth != 0) continue;
    linked = linked || is_linkage(token);
    declaring = declaring || declares(token);
    if (declaring && token.kind == Token::Kind::name) {
      if (!linked) names.insert(token.text);
      declaring = false;
    }
    if (token.is(';') || token.is('}')) linked = declaring = false;
  }
  return names;
}

/// Copies a unit, changed where its tokens are to be others.
class Renamer {
 public:
  Renamer(std::string_view text, std::size_t number, const std::set<std::string_view>& names)
      : text_(text), number_(number), names_(names) {}

  std::string run() {
    for (Lexer lexer(text_); lexer.peek().kind != Token::Kind::end;) {
      const Token token = lexer.next();
      if (token.kind == Token::Kind::name && names_.contains(token.text)) {
        copy_until(begin_of(token) + token.text.size());
        result_ += "$unit" + std::to_string(number_);
      } else if (token.is_directive("file") || token.is_directive("loc") || token.text == "inlined_at") {
        const Token file = lexer.next();
        copy_until(begin_of(file));
        result_ += std::to_string(file.bits + number_ * files_per_unit);
        copied_ = begin_of(file) + file.text.size();
      }
    }
    copy_until(text_.size());
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t begin_of(const Token& token) const {
    return static_cast<std::size_t>(token.text.begin() - text_.begin());
  }

  void copy_until(std::size_t end) {
    result_ += text_.substr(copied_, end - copied_);
    copied_ = end;
  }

  std::string_view text_;
  std::size_t number_;
  const std::set<std::string_view>& names_;
  std::string result_;
  std::size_t copied_ = 0;
};

}  // namespace

std::string link(const std::vector<std::string>& units) {
  std::vector<std::set<std::string_view>> locals;
  std::map<std::string_view, int> uses;
  for (const std::string& unit : units) {
    locals.push_back(local_names(unit));
    for (const std::string_view name : locals.back()) ++uses[name];
  }
  std::string linked;
  for (std::size_t i = 0; i < units.size(); ++i) {
    std::erase_if(locals[i], [&](std::string_view name) { return uses[name] == 1; });
    linked += Renamer(units[i], i, locals[i]).run() + '\n';
  }
  return linked;
}

}  // namespace weft::emulator::ptx
