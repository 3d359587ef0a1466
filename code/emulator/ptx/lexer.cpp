#include "emulator/ptx/lexer.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>

namespace weft::emulator::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

bool continues_name(char c) { return starts_name(c) || is_digit(c); }

}  // namespace

Token Lexer::next() {
  const Token current = token_;
  advance();
  return current;
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (text_[at_] == '\n') ++line_;
    if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
      for (; at_ < end; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
      at_ = std::min(end + 2, text_.size());
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  const std::size_t before = at_;
  skip_blanks();
  adjoins_ = at_ == before;
  token_ = {};
  token_.line = line_;
  if (at_ == text_.size()) return;
  const char c = text_[at_];
  const char following = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (starts_name(c)) {
    read_word(Token::Kind::name);
  } else if (c == '.' && continues_name(following)) {
    ++at_;
    read_word(Token::Kind::dotted);
  } else if (is_digit(c)) {
    read_number();
  } else if (c == '"') {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) throw SyntaxError(line_, "a string without an end");
    token_.kind = Token::Kind::string;
    token_.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
  } else {
    token_.kind = Token::Kind::punctuation;
    token_.text = text_.substr(at_++, 1);
  }
}

void Lexer::read_word(Token::Kind kind) {
  const std::size_t first = at_;
  while (at_ < text_.size()) {
    if (continues_name(text_[at_])) {
      ++at_;
    } else if (kind == Token::Kind::dotted && text_.substr(at_, 2) == "::") {
      at_ += 2;
    } else {
      break;
    }
  }
  token_.kind = kind;
  token_.text = text_.substr(first, at_ - first);
}

void Lexer::read_number() {
  const char marker = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (text_[at_] == '0' && (marker == 'f' || marker == 'F'))
    return read_hexadecimal_float(8, Token::Kind::single);
  if (text_[at_] == '0' && (marker == 'd' || marker == 'D'))
    return read_hexadecimal_float(16, Token::Kind::real);

  const std::size_t start = at_;
  int base = 10;
  if (text_[at_] == '0' && (marker == 'x' || marker == 'X')) {
    base = 16;
    at_ += 2;
  } else if (text_[at_] == '0' && (marker == 'b' || marker == 'B')) {
    base = 2;
    at_ += 2;
  } else if (text_[at_] == '0' && is_digit(marker)) {
    base = 8;
  }
  const char* const first = text_.data() + at_;
  const char* const last = text_.data() + text_.size();
  auto [end, error] = std::from_chars(first, last, token_.bits, base);
  token_.kind = Token::Kind::integer;
  if (base == 10 && end != last && (*end == '.' || *end == 'e' || *end == 'E')) {
    double value = 0;
    const auto real = std::from_chars(first, last, value);
    end = real.ptr;
    error = real.ec;
    token_.kind = Token::Kind::real;
    token_.bits = std::bit_cast<std::uint64_t>(value);
  }
  if (error != std::errc()) throw SyntaxError(line_, "a number that cannot be read");
  at_ = static_cast<std::size_t>(end - text_.data());
  if (token_.kind == Token::Kind::integer && at_ < text_.size() && text_[at_] == 'U') ++at_;
  token_.text = text_.substr(start, at_ - start);
}

void Lexer::read_hexadecimal_float(std::size_t digits, Token::Kind kind) {
  const std::string_view written = text_.substr(at_ + 2, digits);
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), token_.bits, 16);
  if (error != std::errc() || end != written.data() + digits) {
    throw SyntaxError(line_, "a floating-point number that cannot be read");
  }
  token_.kind = kind;
  token_.text = text_.substr(at_, digits + 2);
  at_ += digits + 2;
}

}  // namespace weft::emulator::ptx
