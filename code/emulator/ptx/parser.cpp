#include "emulator/ptx/parser.hpp"

#include <limits>
#include <string>

#include "emulator/ptx/function_parser.hpp"
#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/variable_parser.hpp"

namespace weft::emulator::ptx {
namespace {

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : lexer_(text) {}

  Module parse() {
    while (lexer_.peek().kind != Token::Kind::end) statement();
    return std::move(module_);
  }

 private:
  void statement() {
    const Token token = lexer_.peek();
    if (token.is(';')) {
      lexer_.next();
      return;
    }
    if (token.kind != Token::Kind::dotted)
      throw SyntaxError(token.line, "unexpected \"" + std::string(token.text) + '"');
    if (token.text == "version") {
      lexer_.next();
      lexer_.next();
    } else if (token.text == "target") {
      target();
    } else if (token.text == "address_size") {
      lexer_.next();
      if (lexer_.next().bits != 64) throw SyntaxError(token.line, "only 64-bit addresses are known");
    } else if (token.text == "file") {
      file();
    } else if (token.text == "section") {
      section();
    } else if (token.text == "pragma") {
      while (!lexer_.next().is(';')) reject_end(token.line);
    } else {
      declaration();
    }
  }

  void target() {
    lexer_.next();
    module_.target = lexer_.next().text;
    while (lexer_.peek().is(',')) {
      lexer_.next();
      lexer_.next();
    }
  }

  void file() {
    lexer_.next();
    const Token number = expect_number(lexer_);
    module_.files[static_cast<std::uint32_t>(number.bits)] = std::string(lexer_.next().text);
    while (lexer_.peek().is(',')) {  // time stamp, size
      lexer_.next();
      lexer_.next();
    }
  }

  /// Data for a debugger.
  void section() {
    const int line = lexer_.peek().line;
    while (!lexer_.next().is('{')) reject_end(line);
    while (!lexer_.next().is('}')) reject_end(line);
  }

  void declaration() {
    bool external = false;
    for (;;) {
      const Token token = lexer_.peek();
      if (token.is_directive("extern") || token.is_directive("weak") || token.is_directive("visible") ||
          token.is_directive("common")) {
        external = external || token.text == "extern";
        lexer_.next();
      } else if (token.is_directive("entry") || token.is_directive("func")) {
        add(parse_function(lexer_));
        return;
      } else {
        for (Variable& variable : parse_variables(lexer_)) {
          variable.external = external;
          module_.variables.push_back(std::move(variable));
        }
        return;
      }
    }
  }

  /// A definition takes the place of the declaration before it.
  void add(Function function) {
    for (Function& known : module_.functions) {
      if (known.name != function.name) continue;
      if (function.defined) known = std::move(function);
      return;
    }
    module_.functions.push_back(std::move(function));
  }

  void reject_end(int line) const {
    if (lexer_.peek().kind == Token::Kind::end)
      throw SyntaxError(line, "the text ends inside of what starts here");
  }

  Lexer lexer_;
  Module module_;
};

}  // namespace

Module parse(std::string_view text) { return ModuleParser(text).parse(); }

}  // namespace weft::emulator::ptx
