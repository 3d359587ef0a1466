/// @file
/// Branches, the end of threads, and barriers.

#include <string>

#include "emulator/decode/families.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Type;

void jump(Builder& builder, std::uint32_t label) {
  Draft& draft = builder.emit("bra", {}, {});
  draft.flow = Flow::jump;
  draft.targets = {label};
}

/// Jumps where a predicate is true, or with `flip` where it is false.
void branch(Builder& builder, std::uint32_t predicate, bool flip, std::uint32_t label, bool uniform) {
  Draft& draft = builder.emit(builder.is_early_branch() ? "bra.if.noted" : "bra.if", {}, {predicate});
  draft.use = Use::decide;
  draft.immediate = flip ? ~std::uint64_t{0} : 0;
  draft.flow = Flow::branch;
  draft.uniform = uniform;
  draft.targets = {label};
  if (builder.leaves_unrolled_loop()) draft.doubt = Doubt::unrolled;
  if (builder.is_early_branch()) draft.doubt = Doubt::late;
}

void decode_bra(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  if (instruction.operands.size() != 1 || instruction.operands[0].kind != Operand::Kind::label) {
    throw Error("a branch to something that is no label");
  }
  const std::uint32_t label = Builder::label_of(instruction.operands[0].index);
  if (!instruction.guarded) return jump(builder, label);
  branch(builder, builder.guard(), instruction.guard.negated, label, instruction.has("uni"));
}

/// brx.idx %r1, list; is a row of comparisons.
void decode_brx(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  if (instruction.operands.size() != 2 || instruction.operands[1].kind != Operand::Kind::targets) {
    throw Error("a branch without a list of targets");
  }
  const std::vector<std::uint32_t>& targets =
      builder.function().branch_targets[instruction.operands[1].index];
  const std::uint32_t index = builder.read(instruction.operands[0], Type::u32);
  for (std::size_t i = 0; i + 1 < targets.size(); ++i) {
    const std::uint32_t chosen = builder.new_predicate();
    builder.emit("setp.eq.u32", {chosen}, {index, builder.constant(i, 4)});
    branch(builder, chosen, false, Builder::label_of(targets[i]), false);
  }
  jump(builder, Builder::label_of(targets.back()));
}

/// A kernel's threads exit; a device function's lanes meet at its end, and return together.
void decode_leave(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const bool returns = instruction.parts.front() == "ret" && !builder.function().kernel;
  if (returns) {
    const auto end = Builder::label_of(static_cast<std::uint32_t>(builder.function().instructions.size()));
    if (!instruction.guarded) return jump(builder, end);
    return branch(builder, builder.guard(), instruction.guard.negated, end, instruction.has("uni"));
  }
  if (!instruction.guarded) {
    builder.emit("exit", {}, {}).flow = Flow::leave;
  } else {
    Draft& draft = builder.emit("exit.if", {}, {builder.guard()});
    draft.use = Use::decide;
    draft.immediate = instruction.guard.negated ? ~std::uint64_t{0} : 0;
  }
}

/// bar.sync a{, b}; bar.arrive a, b; bar.red.popc.u32 d, a{, b}, p; and barrier.cta.… likewise
void decode_bar(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  if (instruction.parts.size() > 1 && instruction.parts[1] == "warp") {
    builder.emit("bar.warp.sync", {}, {builder.read(instruction.operands[0], Type::b32)});
    return;
  }
  const ptx::Operands& operands = instruction.operands;
  const bool reduces = instruction.has("red");
  const std::uint32_t all = builder.constant(0, 4);
  const std::uint64_t whole_warp = instruction.parts.front() == "bar" || instruction.has("aligned") ? 1 : 0;
  if (!reduces) {
    if (operands.empty() || operands.size() > 2) throw Error("another number of operands than known");
    const std::uint32_t number = builder.read(operands[0], Type::u32);
    const std::uint32_t threads = operands.size() == 2 ? builder.read(operands[1], Type::u32) : all;
    builder.emit(instruction.has("arrive") ? "bar.arrive" : "bar.sync", {}, {number, threads}).immediate =
        whole_warp;
    return;
  }
  if (operands.size() < 3 || operands.size() > 4) throw Error("another number of operands than known");
  const std::uint32_t number = builder.read(operands[1], Type::u32);
  const std::uint32_t threads = operands.size() == 4 ? builder.read(operands[2], Type::u32) : all;
  const std::uint32_t vote = builder.read_predicate(operands.back());
  builder.emit("bar.vote", {}, {number, threads, vote}).immediate = whole_warp;
  const Type type = instruction.has("popc") ? Type::u32 : Type::pred;
  const std::string how = instruction.has("popc") ? "popc" : instruction.has("and") ? "and" : "or";
  builder.emit("bar.result." + how, {builder.write(operands[0], type)}, {number});
}

}  // namespace

bool decode_control(Builder& builder) {
  const std::string_view opcode = builder.current().parts.front();
  if (opcode == "bra") {
    decode_bra(builder);
  } else if (opcode == "brx") {
    decode_brx(builder);
  } else if (opcode == "exit" || opcode == "ret") {
    decode_leave(builder);
  } else if (opcode == "bar" || opcode == "barrier") {
    decode_bar(builder);
  } else if (opcode == "nanosleep") {
    builder.emit("nanosleep", {}, {builder.read(builder.current().operands[0], Type::u32)});
  } else if (opcode == "trap" || opcode == "brkpt") {
    builder.emit("trap", {}, {});
  } else {
    return false;
  }
  return true;
}

}  // namespace weft::emulator
