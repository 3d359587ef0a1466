#include "emulator/ptx/function_parser.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "emulator/ptx/scope.hpp"
#include "emulator/ptx/variable_parser.hpp"

namespace weft::emulator::ptx {
namespace {

/// Operands nest no deeper: `(%r1, {%r2, %r3})`, `[map, {%r1, %r2}]`.
constexpr int deepest_operand = 4;
/// A damaged text must not ask for all of the memory.
constexpr std::uint64_t most_registers = 1U << 20;

class FunctionParser {
 public:
  explicit FunctionParser(Lexer& lexer) : lexer_(lexer) {}

  Function parse() {
    function_.kernel = lexer_.next().text == "entry";
    if (lexer_.peek().is('(')) function_.results = parse_parameters(lexer_);
    function_.name = expect_name(lexer_).text;
    if (lexer_.peek().is('(')) function_.parameters = parse_parameters(lexer_);
    directives();
    if (lexer_.peek().is(';')) {
      lexer_.next();
      return std::move(function_);
    }
    expect(lexer_, '{');
    function_.defined = true;
    for (const auto* list : {&function_.results, &function_.parameters}) {
      for (const Variable& variable : *list) define(variable);
    }
    body();
    resolve_labels();
    return std::move(function_);
  }

 private:
  /// Where in an instruction a name is used that may be a label.
  struct Unresolved {
    std::size_t instruction;
    int scope;
  };

  void directives() {
    while (lexer_.peek().kind == Token::Kind::dotted) {
      const Token token = lexer_.next();
      if (token.text == "maxntid" || token.text == "reqntid") {
        std::uint64_t product = 1;
        for (const std::uint64_t extent : parse_numbers(lexer_)) product *= extent;
        function_.most_threads = static_cast<int>(std::min<std::uint64_t>(product, 1024));
      } else if (token.text == "reqnctapercluster") {
        const auto numbers = parse_numbers(lexer_);
        for (std::size_t i = 0; i < 3; ++i) {
          function_.cluster[i] = i < numbers.size() ? static_cast<std::uint32_t>(numbers[i]) : 1;
        }
      } else if (token.text == "pragma") {
        lexer_.next();
        expect(lexer_, ';');
      } else if (lexer_.peek().kind == Token::Kind::integer) {
        parse_numbers(lexer_);  // .minnctapersm, .maxnreg and their like: for ptxas alone
      }
    }
  }

  void body() {
    while (!(lexer_.peek().is('}') && scopes_.outermost())) {
      const Token token = lexer_.peek();
      if (token.kind == Token::Kind::end) throw SyntaxError(token.line, "a function without an end");
      if (token.is('{')) {
        lexer_.next();
        scopes_.open();
      } else if (token.is('}')) {
        lexer_.next();
        scopes_.close();
      } else if (token.is(';')) {
        lexer_.next();
      } else if (token.kind == Token::Kind::dotted) {
        directive();
      } else {
        label_or_instruction();
      }
    }
    lexer_.next();
  }

  void directive() {
    const Token token = lexer_.peek();
    if (token.text == "reg") {
      registers();
    } else if (token.text == "loc") {
      location();
    } else if (token.text == "pragma") {
      while (!lexer_.next().is(';')) reject_end(token);
    } else if (token.text == "branchtargets" || token.text == "calltargets" ||
               token.text == "callprototype") {
      throw SyntaxError(token.line, "a label expected before ." + std::string(token.text));
    } else {
      for (const Variable& variable : parse_variables(lexer_)) define(variable);
    }
  }

  void define(const Variable& variable) {
    scopes_.define(variable.name,
                   {Meaning::Kind::variable, static_cast<std::uint32_t>(function_.variables.size())});
    function_.variables.push_back(variable);
    function_.variables.back().scope = scopes_.current();
  }

  void registers() {
    lexer_.next();
    const Token token = lexer_.next();
    const auto type = type_named(token.text);
    if (!type) throw SyntaxError(token.line, "unknown type ." + std::string(token.text) + " of a register");
    for (;;) {
      const std::string_view name = expect_name(lexer_).text;
      const auto first = static_cast<std::uint32_t>(function_.registers.size());
      if (lexer_.peek().is('<')) {
        lexer_.next();
        const Token count = expect_number(lexer_);
        if (count.bits > most_registers - first) throw SyntaxError(count.line, "too many registers");
        expect(lexer_, '>');
        scopes_.define_range(name, static_cast<std::uint32_t>(count.bits), first);
        function_.registers.resize(first + count.bits, {name, *type});
      } else {
        scopes_.define(name, {Meaning::Kind::reg, first});
        function_.registers.push_back({name, *type});
      }
      if (!lexer_.peek().is(',')) break;
      lexer_.next();
    }
    expect(lexer_, ';');
  }

  /// A file, a line and a column.
  using Place = std::array<std::uint32_t, 3>;

  Place place() {
    Place found{};
    for (std::uint32_t& number : found) number = static_cast<std::uint32_t>(expect_number(lexer_).bits);
    return found;
  }

  /// `.loc 1 13 3, function_name $L__info_string0, inlined_at 2 20 5`. A place that is inlined itself has had
  /// a `.loc` of its own before.
  void location() {
    lexer_.next();
    const Place here = place();
    position_.file = here[0];
    if (here[1] != 0) position_.line = here[1];  // 0: no line of its own
    position_.caller = nullptr;
    while (lexer_.peek().is(',')) {
      lexer_.next();
      const Token what = expect_name(lexer_);
      if (what.text == "inlined_at") {
        const Place caller = place();
        const auto outer = callers_.find(caller);
        position_.caller = std::make_shared<const Position>(
            Position{caller[0], caller[1], outer == callers_.end() ? nullptr : outer->second});
      } else {
        lexer_.next();
        if (lexer_.peek().is('+')) {
          lexer_.next();
          expect_number(lexer_);
        }
      }
    }
    callers_[here] = position_.caller;
  }

  void label_or_instruction() {
    Instruction instruction;
    instruction.line = lexer_.peek().line;
    if (lexer_.peek().is('@')) {
      lexer_.next();
      instruction.guarded = true;
      instruction.guard = operand(0);
      if (!instruction.guard.is_reg()) throw SyntaxError(instruction.line, "a guard is a predicate");
    }
    const Token name = expect_name(lexer_);
    if (lexer_.peek().is(':') && !instruction.guarded) {
      lexer_.next();
      label(name);
      return;
    }
    instruction.parts.push_back(name.text);
    std::string_view last = name.text;
    while (lexer_.peek().kind == Token::Kind::dotted) {
      const Token part = lexer_.next();
      instruction.parts.push_back(part.text);
      last = part.text;
    }
    instruction.opcode = {name.text.begin(), last.end()};  // all of it is one piece of the text
    instruction.position = position_;
    while (!lexer_.peek().is(';')) {
      instruction.operands.push_back(operand(0));
      if (lexer_.peek().is(',')) {
        lexer_.next();
      } else if (!lexer_.peek().is(';')) {
        throw SyntaxError(instruction.line, "unexpected \"" + std::string(lexer_.peek().text) + "\" in " +
                                                std::string(instruction.opcode));
      }
    }
    lexer_.next();
    unresolved_.push_back({function_.instructions.size(), scopes_.current()});
    function_.instructions.push_back(std::move(instruction));
  }

  void label(const Token& name) {
    const auto index = static_cast<std::uint32_t>(function_.instructions.size());
    if (lexer_.peek().is_directive("branchtargets")) {
      branch_targets(name);
    } else if (lexer_.peek().is_directive("callprototype") || lexer_.peek().is_directive("calltargets")) {
      while (!lexer_.next().is(';')) reject_end(name);
    } else {
      scopes_.define(name.text, {Meaning::Kind::label, index});
    }
  }

  /// `ts: .branchtargets $L1, $L2;`: the list's labels are resolved at the end.
  void branch_targets(const Token& name) {
    lexer_.next();
    const auto number = static_cast<std::uint32_t>(lists_.size());
    scopes_.define(name.text, {Meaning::Kind::targets, number});
    lists_.push_back({scopes_.current(), {expect_name(lexer_)}});
    while (lexer_.peek().is(',')) {
      lexer_.next();
      lists_.back().second.push_back(expect_name(lexer_));
    }
    expect(lexer_, ';');
  }

  Operand operand(int depth) {
    if (depth > deepest_operand) throw SyntaxError(lexer_.peek().line, "too many braces");
    Operand result = primary(depth);
    if (!lexer_.peek().is('|')) return result;
    lexer_.next();
    Operand both;
    both.kind = Operand::Kind::pair;
    both.parts.push_back(std::move(result));
    both.parts.push_back(primary(depth));
    return both;
  }

  Operand primary(int depth) {
    if (lexer_.peek().is('[')) return list('[', ']', Operand::Kind::address, depth);
    if (lexer_.peek().is('{')) return list('{', '}', Operand::Kind::vector, depth);
    if (lexer_.peek().is('(')) return list('(', ')', Operand::Kind::vector, depth);
    bool negated = false;
    bool minus = false;
    for (; lexer_.peek().is('!') || lexer_.peek().is('-'); lexer_.next()) {
      negated ^= lexer_.peek().is('!');
      minus ^= lexer_.peek().is('-');
    }
    Operand result = scalar();
    result.negated = negated;
    if (minus) negate(result);
    while (lexer_.peek().is('+') || lexer_.peek().is('-')) {
      bool subtract = lexer_.next().is('-');
      if (lexer_.peek().is('-')) {  // `+-8`
        lexer_.next();
        subtract = !subtract;
      }
      const std::uint64_t amount = expect_number(lexer_).bits;
      result.bits += subtract ? 0 - amount : amount;
    }
    return result;
  }

  static void negate(Operand& operand) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    if (operand.kind == Operand::Kind::real) {
      operand.bits ^= sign;
    } else if (operand.kind == Operand::Kind::single) {
      operand.bits ^= sign >> 32;
    } else {
      operand.bits = 0 - operand.bits;
    }
  }

  Operand scalar() {
    const Token token = lexer_.next();
    Operand result;
    result.bits = token.bits;
    switch (token.kind) {
      case Token::Kind::integer:
        return result;
      case Token::Kind::single:
        result.kind = Operand::Kind::single;
        return result;
      case Token::Kind::real:
        result.kind = Operand::Kind::real;
        return result;
      case Token::Kind::name:
        named(token, result);
        return result;
      default:
        throw SyntaxError(token.line, "an operand expected, not \"" + std::string(token.text) + '"');
    }
  }

  void named(const Token& token, Operand& result) {
    if (token.text == "_") {
      result.kind = Operand::Kind::sink;
      return;
    }
    if (token.text == "WARP_SZ") {
      result.bits = 32;
      return;
    }
    const auto meaning = scopes_.find(token.text, scopes_.current());
    if (meaning && meaning->kind == Meaning::Kind::reg) {
      result.kind = Operand::Kind::reg;
      result.index = meaning->index;
    } else if (meaning && meaning->kind == Meaning::Kind::variable) {
      result.kind = Operand::Kind::variable;
      result.index = meaning->index;
    } else {  // a label, or a name of the module
      result.kind = Operand::Kind::symbol;
    }
    result.name = token.text;
    if (lexer_.adjoins() && lexer_.peek().kind == Token::Kind::dotted) {  // `%tid.x`
      const Token part = lexer_.next();
      result.name = {token.text.data(), token.text.size() + 1 + part.text.size()};
    }
  }

  Operand list(char opening, char closing, Operand::Kind kind, int depth) {
    Operand result;
    result.kind = kind;
    expect(lexer_, opening);
    while (!lexer_.peek().is(closing)) {
      result.parts.push_back(operand(depth + 1));
      if (!lexer_.peek().is(closing)) expect(lexer_, ',');
    }
    lexer_.next();
    if (kind == Operand::Kind::address && !result.parts.empty() &&
        result.parts.front().kind != Operand::Kind::integer) {
      result.bits = std::exchange(result.parts.begin()->bits, 0);  // the offset is the address's
    }
    return result;
  }

  void resolve_labels() {
    for (const auto& [index, scope] : unresolved_) {
      for (Operand& operand : function_.instructions[index].operands) {
        if (operand.kind != Operand::Kind::symbol) continue;
        const auto meaning = scopes_.find(operand.name, scope);
        if (!meaning) continue;
        if (meaning->kind == Meaning::Kind::label) {
          operand.kind = Operand::Kind::label;
        } else if (meaning->kind == Meaning::Kind::targets) {
          operand.kind = Operand::Kind::targets;
        } else {
          continue;
        }
        operand.index = meaning->index;
      }
    }
    for (const auto& [scope, names] : lists_) {
      std::vector<std::uint32_t>& targets = function_.branch_targets.emplace_back();
      for (const Token& name : names) {
        const auto meaning = scopes_.find(name.text, scope);
        if (!meaning || meaning->kind != Meaning::Kind::label) {
          throw SyntaxError(name.line, "unknown label " + std::string(name.text));
        }
        targets.push_back(meaning->index);
      }
    }
  }

  void reject_end(const Token& start) const {
    if (lexer_.peek().kind == Token::Kind::end) {
      throw SyntaxError(start.line, "the text ends inside of what starts here");
    }
  }

  Lexer& lexer_;
  Function function_;
  Scopes scopes_;
  Position position_;
  std::map<Place, std::shared_ptr<const Position>> callers_;  ///< of every place that a `.loc` has named
  std::vector<Unresolved> unresolved_;
  std::vector<std::pair<int, std::vector<Token>>> lists_;
};

}  // namespace

Function parse_function(Lexer& lexer) { return FunctionParser(lexer).parse(); }

}  // namespace weft::emulator::ptx
