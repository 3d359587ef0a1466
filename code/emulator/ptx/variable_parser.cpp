#include "emulator/ptx/variable_parser.hpp"

#include <bit>
#include <string>

namespace weft::emulator::ptx {
namespace {

/// A damaged text must not ask for all of the memory.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;

/// What stands before the names of a declaration.
struct Head {
  Space space = Space::global;
  Type type = Type::b8;
  std::uint64_t align = 0;
  std::uint64_t elements = 1;  // of a vector type
};

Head parse_head(Lexer& lexer) {
  Head head;
  head.space = space_named(lexer.next());
  bool typed = false;
  while (lexer.peek().kind == Token::Kind::dotted) {
    const Token token = lexer.next();
    if (token.text == "align") {
      head.align = expect_number(lexer).bits;
      if (!std::has_single_bit(head.align)) throw SyntaxError(token.line, "an alignment is a power of two");
    } else if (token.text == "v2" || token.text == "v4") {
      head.elements = token.text == "v2" ? 2 : 4;
    } else if (const auto type = type_named(token.text)) {
      head.type = *type;
      typed = true;
    } else if (token.text == "attribute") {
      expect(lexer, '(');
      while (!lexer.next().is(')')) {
        if (lexer.peek().kind == Token::Kind::end)
          throw SyntaxError(token.line, "an attribute without an end");
      }
    }  // others say where a parameter points to: `.ptr .global`
  }
  if (!typed) throw SyntaxError(lexer.peek().line, "a variable without a type");
  return head;
}

std::uint64_t parse_extent(Lexer& lexer, std::uint64_t elements) {
  while (lexer.peek().is('[')) {
    lexer.next();
    const std::uint64_t count = lexer.peek().is(']') ? 0 : expect_number(lexer).bits;
    expect(lexer, ']');
    if (count > most_bytes || elements * count > most_bytes) {
      throw SyntaxError(lexer.peek().line, "a variable of more than 4 GiB");
    }
    elements *= count;
  }
  return elements;
}

/// Fills in a variable's initial value, element by element.
class Initializer {
 public:
  Initializer(Lexer& lexer, Variable& variable) : lexer_(lexer), variable_(variable) {}

  void parse(int depth = 0) {
    if (depth > 8) throw SyntaxError(lexer_.peek().line, "too many braces");
    if (!lexer_.peek().is('{')) return element();
    lexer_.next();
    while (!lexer_.peek().is('}')) {
      parse(depth + 1);
      if (!lexer_.peek().is('}')) expect(lexer_, ',');
    }
    lexer_.next();
  }

 private:
  void element() {
    bool negative = false;
    while (lexer_.peek().is('-')) {
      negative = !negative;
      lexer_.next();
    }
    const Token token = lexer_.next();
    const bool generic = token.text == "generic" && lexer_.peek().is('(');
    if (token.kind == Token::Kind::name) {
      Token name = token;
      if (generic) {
        lexer_.next();
        name = expect_name(lexer_);
        expect(lexer_, ')');
      }
      std::uint64_t addend = 0;
      while (lexer_.peek().is('+') || lexer_.peek().is('-')) {
        const bool minus = lexer_.next().is('-');
        const std::uint64_t amount = expect_number(lexer_).bits;
        addend += minus ? 0 - amount : amount;
      }
      variable_.relocations.push_back({variable_.initial.size(), name.text, addend, generic});
      append(0);
    } else if (token.kind == Token::Kind::integer || token.kind == Token::Kind::single ||
               token.kind == Token::Kind::real) {
      std::uint64_t bits = token.bits;
      if (token.kind == Token::Kind::real && bytes_of(variable_.type) == 4) {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      }
      append(negative ? 0 - bits : bits);
    } else {
      throw SyntaxError(token.line, "an initial value that cannot be read");
    }
  }

  void append(std::uint64_t bits) {
    for (int byte = 0; byte < bytes_of(variable_.type); ++byte) {
      variable_.initial.push_back(static_cast<std::uint8_t>(bits >> (8 * byte)));
    }
  }

  Lexer& lexer_;
  Variable& variable_;
};

Variable parse_declarator(Lexer& lexer, const Head& head) {
  Variable variable;
  variable.name = expect_name(lexer).text;
  variable.space = head.space;
  variable.type = head.type;
  const auto element_bytes = static_cast<std::uint64_t>(bytes_of(head.type));
  variable.align = head.align != 0 ? head.align : element_bytes * head.elements;
  const bool unsized_array = lexer.peek().is('[');
  variable.bytes = parse_extent(lexer, head.elements) * element_bytes;
  if (lexer.peek().is('=')) {
    lexer.next();
    Initializer(lexer, variable).parse();
    if (variable.bytes == 0 && unsized_array) variable.bytes = variable.initial.size();
    if (variable.initial.size() > variable.bytes) {
      throw SyntaxError(lexer.peek().line, "more initial values than elements");
    }
  }
  return variable;
}

}  // namespace

void expect(Lexer& lexer, char mark) {
  const Token token = lexer.next();
  if (!token.is(mark)) {
    throw SyntaxError(token.line,
                      std::string("'") + mark + "' expected, not \"" + std::string(token.text) + '"');
  }
}

Token expect_number(Lexer& lexer) {
  const Token token = lexer.next();
  if (token.kind != Token::Kind::integer) {
    throw SyntaxError(token.line, "a number expected, not \"" + std::string(token.text) + '"');
  }
  return token;
}

Token expect_name(Lexer& lexer) {
  const Token token = lexer.next();
  if (token.kind != Token::Kind::name) {
    throw SyntaxError(token.line, "a name expected, not \"" + std::string(token.text) + '"');
  }
  return token;
}

Space space_named(const Token& directive) {
  if (directive.is_directive("global")) return Space::global;
  if (directive.is_directive("shared")) return Space::shared;
  if (directive.is_directive("local")) return Space::local;
  if (directive.is_directive("const")) return Space::constant;
  if (directive.is_directive("param")) return Space::param;
  throw SyntaxError(directive.line, "unknown directive ." + std::string(directive.text));
}

std::vector<Variable> parse_variables(Lexer& lexer) {
  const Head head = parse_head(lexer);
  std::vector<Variable> variables{parse_declarator(lexer, head)};
  while (lexer.peek().is(',')) {
    lexer.next();
    variables.push_back(parse_declarator(lexer, head));
  }
  expect(lexer, ';');
  return variables;
}

std::vector<Variable> parse_parameters(Lexer& lexer) {
  std::vector<Variable> parameters;
  expect(lexer, '(');
  while (!lexer.peek().is(')')) {
    parameters.push_back(parse_declarator(lexer, parse_head(lexer)));
    if (!lexer.peek().is(')')) expect(lexer, ',');
  }
  lexer.next();
  return parameters;
}

std::vector<std::uint64_t> parse_numbers(Lexer& lexer) {
  std::vector<std::uint64_t> numbers{expect_number(lexer).bits};
  while (lexer.peek().is(',')) {
    lexer.next();
    numbers.push_back(expect_number(lexer).bits);
  }
  return numbers;
}

}  // namespace weft::emulator::ptx
