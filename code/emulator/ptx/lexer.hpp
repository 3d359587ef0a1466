#pragma once

/// @file
/// PTX's words: text in, one token at a time out.

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/error.hpp"

namespace weft::emulator::ptx {

/// Text that is no PTX, or PTX that is not known here; what() names the line.
class SyntaxError : public Error {
 public:
  SyntaxError(int line, const std::string& what) : Error("PTX line " + std::to_string(line) + ": " + what) {}
};

struct Token {
  enum class Kind : std::uint8_t {
    end,
    name,     ///< `%r1`, `$L__BB0_2`, `add`
    dotted,   ///< `.global`, `.L1::no_allocate`: text without the dot
    integer,  ///< `42`, `0x2a`: bits
    single,   ///< `0f3F800000`: bits
    real,     ///< `0d3FF0000000000000`, `1.5`: bits of a double
    string,   ///< text without the quotes
    punctuation,
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint64_t bits = 0;
  int line = 0;

  [[nodiscard]] bool is(char mark) const { return kind == Kind::punctuation && text.front() == mark; }
  [[nodiscard]] bool is_directive(std::string_view name) const {
    return kind == Kind::dotted && text == name;
  }
};

/// Splits a text into tokens; comments and white space fall away.
class Lexer {
 public:
  /// @param text must outlive the tokens
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  [[nodiscard]] const Token& peek() const { return token_; }

  /// Returns the current token and moves to the next one.
  /// @throws SyntaxError if the text goes on with something that is no token
  Token next();

  /// Whether the current token follows the one before it without a gap: `add.s32` is one opcode.
  [[nodiscard]] bool adjoins() const { return adjoins_; }

 private:
  void advance();
  void skip_blanks();
  void read_word(Token::Kind kind);
  void read_number();
  void read_hexadecimal_float(std::size_t digits, Token::Kind kind);

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool adjoins_ = false;
  Token token_;
};

}  // namespace weft::emulator::ptx
