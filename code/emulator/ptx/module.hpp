#pragma once

/// @file
/// What a PTX text says, as the parser hands it on: names of registers, labels and variables are resolved to
/// indices, instructions are as written.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/error.hpp"
#include "emulator/ptx/type.hpp"

namespace weft::emulator::ptx {

/// A place in the program's source; line 0 stands for an unknown one.
struct Position {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::shared_ptr<const Position> caller;  ///< where the function that holds it was inlined, if it was
};

enum class Space : std::uint8_t { generic, global, shared, local, constant, param };

/// What an instruction or an operand is made of, each part asked for by its place. Damaged PTX lacks some: to
/// ask for one that is not there is an Error.
template <typename Part>
class Parts {
 public:
  Parts() = default;
  Parts(std::initializer_list<Part> parts) : parts_(parts) {}

  void push_back(Part part) { parts_.push_back(std::move(part)); }

  [[nodiscard]] const Part& operator[](std::size_t place) const {
    if (place >= parts_.size()) throw Error("it has no operand " + std::to_string(place + 1));
    return parts_[place];
  }
  [[nodiscard]] const Part& front() const { return (*this)[0]; }
  [[nodiscard]] const Part& back() const { return (*this)[std::max<std::size_t>(size(), 1) - 1]; }

  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] bool empty() const { return parts_.empty(); }
  [[nodiscard]] auto begin() const { return parts_.begin(); }
  [[nodiscard]] auto end() const { return parts_.end(); }
  [[nodiscard]] auto begin() { return parts_.begin(); }
  [[nodiscard]] auto end() { return parts_.end(); }

 private:
  std::vector<Part> parts_;
};

/// One operand. Which fields count depends on the kind.
struct Operand {
  enum class Kind : std::uint8_t {
    reg,       ///< index: into Function::registers
    integer,   ///< bits
    single,    ///< bits of a float
    real,      ///< bits of a double
    label,     ///< index: of the instruction that follows the label
    targets,   ///< index: into Function::branch_targets
    variable,  ///< index: into Function::variables; bits: offset in bytes
    symbol,    ///< name: of a module's variable, a function or a special register; bits: offset in bytes
    address,   ///< parts: the base and what follows after commas; bits: offset in bytes
    vector,    ///< parts: elements in braces, or in parentheses
    pair,      ///< parts: two destinations, `%r1|%p1`
    sink,      ///< `_`, where nothing is kept
  };
  Kind kind = Kind::integer;
  bool negated = false;  ///< `!%p1`
  std::uint32_t index = 0;
  std::uint64_t bits = 0;
  std::string_view name;
  Parts<Operand> parts;

  [[nodiscard]] bool is_reg() const { return kind == Kind::reg; }
};

using Operands = Parts<Operand>;

struct Instruction {
  std::string_view opcode;              ///< all of it: `ld.global.nc.f32`
  std::vector<std::string_view> parts;  ///< its words: `ld`, `global`, `nc`, `f32`
  Operands operands;
  bool guarded = false;
  Operand guard;      ///< a predicate register, if guarded
  int line = 0;       ///< in the PTX
  Position position;  ///< in the source

  [[nodiscard]] bool has(std::string_view part) const {
    for (const std::string_view own : parts) {
      if (own == part) return true;
    }
    return false;
  }
};

struct Register {
  std::string_view name;
  Type type;
};

/// An address stored in a variable's initial value.
struct Relocation {
  std::uint64_t offset;  ///< in the variable, in bytes
  std::string_view name;
  std::uint64_t addend;
  bool generic;  ///< written as generic(name)
};

/// A variable of a module or a function, or a parameter.
struct Variable {
  std::string_view name;
  Space space = Space::global;
  Type type = Type::b8;
  std::uint64_t bytes = 0;
  std::uint64_t align = 1;
  bool external = false;
  int scope = 0;  ///< of a function's own: 0 for the outermost, else the number of the braces
  std::vector<std::uint8_t> initial;  ///< shorter than `bytes`: the rest is zero
  std::vector<Relocation> relocations;
};

struct Function {
  std::string_view name;
  bool kernel = false;
  bool defined = false;  ///< has a body
  std::vector<Variable> parameters;
  std::vector<Variable> results;  ///< `.func (.param .b32 result) name`
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< of its own; parameters and results come first
  std::vector<Instruction> instructions;
  std::vector<std::vector<std::uint32_t>> branch_targets;  ///< of each `.branchtargets`
  int most_threads = 0;                                    ///< `.maxntid`'s product; 0 if not given
  std::uint32_t cluster[3] = {0, 0, 0};
};

struct Module {
  std::string_view target;  ///< `sm_90a`
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<std::uint32_t, std::string> files;  ///< `.file`, by the number that Position names
};

}  // namespace weft::emulator::ptx
