#pragma once

/// @file
/// Declarations of variables and parameters, and what all parts of the parser share.

#include <string_view>
#include <vector>

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"

namespace weft::emulator::ptx {

/// Takes a punctuation mark.
/// @throws SyntaxError if another token comes
void expect(Lexer& lexer, char mark);

/// Takes an integer.
/// @throws SyntaxError if another token comes
Token expect_number(Lexer& lexer);

/// Takes a name.
/// @throws SyntaxError if another token comes
Token expect_name(Lexer& lexer);

/// The space that a directive such as `.shared` names.
/// @throws SyntaxError for another one
Space space_named(const Token& directive);

/// Parses `.global .align 4 .b8 a[3] = {1, 2, 3}, b;` from the space on, with the semicolon.
/// @throws SyntaxError
std::vector<Variable> parse_variables(Lexer& lexer);

/// Parses parameters, `(.param .u64 a, .param .align 8 .b8 b[16])`, with the parentheses.
/// @throws SyntaxError
std::vector<Variable> parse_parameters(Lexer& lexer);

/// Parses a list of extents after a directive, `.maxntid 256, 1, 1`; absent ones are 1.
/// @throws SyntaxError
std::vector<std::uint64_t> parse_numbers(Lexer& lexer);

}  // namespace weft::emulator::ptx
