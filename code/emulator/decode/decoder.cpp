#include "emulator/decode/decoder.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string>

#include "emulator/checking.hpp"
#include "emulator/decode/families.hpp"
#include "emulator/error.hpp"
#include "emulator/names.hpp"
#include "emulator/sketch/builder.hpp"
#include "emulator/sketch/flow.hpp"
#include "emulator/sketch/frame.hpp"
#include "emulator/sketch/preparation.hpp"

namespace weft::emulator {
namespace {

using ptx::Instruction;

std::string joined(const std::vector<std::string_view>& parts, std::string_view without) {
  std::string text;
  for (const std::string_view part : parts) {
    if (part == without) continue;
    if (!text.empty()) text += '.';
    text += part;
  }
  return text;
}

// [nothing]
/// Instructions that give hints, or order what happens in order here anyway.
bool does_nothing(const Instruction& instruction) {
  static constexpr std::array<std::string_view, 10> opcodes{
      "membar",  "fence",          "prefetch",   "prefetchu", "applypriority",
      "discard", "griddepcontrol", "setmaxnreg", "pmevent",   "createpolicy"};
  return std::ranges::find(opcodes, instruction.parts.front()) != opcodes.end();
}
// [nothing]

/// What the checker is to know of an instruction.
Use use_of(std::string_view opcode) {
  if (opcode == "and") return Use::conjunction;
  if (opcode == "or") return Use::disjunction;
  if (opcode == "shr") return Use::shift_right;
  return opcode == "selp" ? Use::choose : Use::compute;
}

// [plain]
/// Everything whose operands are as the table says.
void decode_plain(Builder& builder) {
  const Instruction& instruction = builder.current();
  const Table& table = builder.surroundings().table;
  const Entry* entry = table.find(instruction.opcode);
  if (entry == nullptr)
    entry = table.find(joined(instruction.parts, "rn"));  // what add, sub and mul do anyway
  if (entry == nullptr) throw Error("this instruction is not known here");
  std::vector<std::uint32_t> operands = builder.read_operands(*entry);
  const std::uint32_t result = builder.write(instruction.operands[0], entry->types[0]);
  Draft& draft = builder.emit(entry->run, {result}, std::move(operands));
  draft.pure = true;
  draft.use = use_of(instruction.parts.front());
}
// [plain]

/// In this order: the first one that knows an instruction takes it.
constexpr std::array decoders{
    decode_cluster, decode_move,      decode_memory, decode_comparison, decode_conversion,
    decode_carry,   decode_control,   decode_atomic, decode_collective, decode_asynchronous,
    decode_matrix,  decode_warpgroup, decode_call,
};

void decode_unguarded(Builder& builder) {
  if (does_nothing(builder.current())) return;
  const bool known = std::ranges::any_of(decoders, [&](auto decode) { return decode(builder); });
  if (!known) decode_plain(builder);
}

/// Whether lanes may have to wait inside of an instruction, or leave it for elsewhere.
bool moves_lanes(const Instruction& instruction) {
  static constexpr std::array<std::string_view, 10> opcodes{"bar",   "barrier", "call",  "shfl", "vote",
                                                            "match", "redux",   "elect", "brx",  "trap"};
  return std::ranges::find(opcodes, instruction.parts.front()) != opcodes.end();
}

/// A guarded instruction: its guard narrows the active lanes for the time of it, or jumps around it.
void decode_guarded(Builder& builder) {
  const Instruction& instruction = builder.current();
  const std::uint32_t predicate = builder.guard();
  const std::uint64_t flip = instruction.guard.negated ? ~std::uint64_t{0} : 0;
  const std::uint32_t end = builder.new_label();
  if (moves_lanes(instruction)) {
    Draft& around = builder.emit("bra.if", {}, {predicate});
    around.use = Use::decide;
    around.immediate = ~flip;
    around.flow = Flow::branch;
    around.targets = {end};
    decode_unguarded(builder);
    builder.finish();
  } else {
    Draft& guard = builder.emit("guard", {}, {predicate});
    guard.use = Use::decide;
    guard.immediate = flip;
    guard.targets = {end};
    decode_unguarded(builder);
    builder.finish();
    builder.emit("unguard", {}, {});
  }
  builder.place(end);
}

bool is_branch(const Instruction& instruction) {
  const std::string_view opcode = instruction.parts.front();
  return opcode == "bra" || opcode == "exit" || opcode == "ret";
}

void decode_current(Builder& builder) {
  const Instruction& instruction = builder.current();
  if (instruction.guarded && !is_branch(instruction)) {
    decode_guarded(builder);
  } else {
    decode_unguarded(builder);
    builder.finish();
  }
}

/// Where the current instruction stands, as errors begin.
std::string place_of(const Builder& builder) {
  const Instruction& instruction = builder.current();
  return readable_name(std::string(builder.function().name)) + ": PTX line " +
         std::to_string(instruction.line) + ", " + std::string(instruction.opcode) + ": ";
}

void sketch(Builder& builder) {
  const auto& instructions = builder.function().instructions;
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    builder.set_current(i);
    builder.place(Builder::label_of(i));
    builder.add_tallies();
    try {
      decode_current(builder);
    } catch (const Error& error) {
      throw Error(place_of(builder) + error.what());
    }
  }
  if (!instructions.empty()) builder.set_current(static_cast<std::uint32_t>(instructions.size()) - 1);
  builder.place(Builder::label_of(static_cast<std::uint32_t>(instructions.size())));
  builder.emit(builder.function().kernel ? "exit" : "return", {}, {}).flow = Flow::leave;
}

/// The instructions that branches lead to.
std::vector<std::uint32_t> branch_targets(const ptx::Function& function) {
  std::vector<std::uint32_t> targets;
  for (const Instruction& instruction : function.instructions) {
    const std::string_view opcode = instruction.parts.front();
    if (opcode == "bra") targets.push_back(instruction.operands[0].index);
    if (opcode == "brx")
      std::ranges::copy(function.branch_targets[instruction.operands[1].index], std::back_inserter(targets));
  }
  return targets;
}

/// Finds for how many instructions each draft stands: for its own, and for those that left nothing to be
/// done. They count with the draft behind them, or with the one before if a branch leads to in between.
void count_instructions(Builder& builder) {
  std::vector<Draft>& drafts = builder.sketch.drafts;
  const auto count = static_cast<std::uint32_t>(builder.function().instructions.size());
  std::vector<std::uint32_t> targets_up_to(count + 1);
  for (const std::uint32_t target : branch_targets(builder.function())) targets_up_to[target] = 1;
  std::partial_sum(targets_up_to.begin(), targets_up_to.end(), targets_up_to.begin());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t behind = builder.sketch.labels[Builder::label_of(i)];
    const bool apart = targets_up_to[drafts[behind].instruction] != targets_up_to[i];
    ++drafts[apart && behind > 0 ? behind - 1 : behind].stands_for;
  }
}

/// Takes a draft's slots over into an operation.
void fill_slots(Routine& routine, Operation& operation, const Draft& draft, const FrameLayout& frame) {
  std::vector<std::uint32_t> offsets;
  for (const auto* list : {&draft.results, &draft.operands}) {
    for (const std::uint32_t slot : *list) offsets.push_back(frame.offsets[slot]);
  }
  if (draft.listed) {
    routine.lists.push_back(std::make_unique<std::vector<std::uint32_t>>(std::move(offsets)));
    operation.more = routine.lists.back()->data();
  } else {
    std::ranges::copy(offsets, operation.slots.begin());
  }
}

Uses uses_of(const Draft& draft, const Sketch& sketch, const FrameLayout& frame) {
  Uses uses{draft.use, draft.moved_bytes, {}, {}};
  const auto add = [&](std::vector<Uses::Slot>& to, const std::vector<std::uint32_t>& slots) {
    for (const std::uint32_t number : slots) {
      const VirtualSlot& slot = sketch.slots[number];
      to.push_back({frame.offsets[number], slot.predicate ? 4 : static_cast<std::uint32_t>(slot.bytes) * 32});
    }
  };
  add(uses.results, draft.results);
  add(uses.operands, draft.operands);
  return uses;
}

/// What a routine has from its function and from the layout of its variables.
void describe(Routine& routine, const ptx::Function& function, const ptx::Layout& layout) {
  routine.name = function.name;
  routine.local_bytes = static_cast<std::uint32_t>(layout.local_bytes);
  routine.shared_bytes = static_cast<std::uint32_t>(layout.shared_bytes);
  routine.parameter_bytes = static_cast<std::uint32_t>(layout.parameter_bytes);
  routine.most_threads = function.most_threads;
  std::ranges::copy(function.cluster, routine.cluster.begin());
  const auto place = [&](std::size_t variable) {
    return ParameterPlace{static_cast<std::uint32_t>(layout.own[variable]),
                          static_cast<std::uint32_t>(function.variables[variable].bytes)};
  };
  const std::size_t results = function.results.size();
  for (std::size_t i = 0; i < results; ++i) routine.result_places.push_back(place(i));
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    routine.parameter_places.push_back(place(results + i));
}

/// The slots that hold something from the start on.
void fill_first_values(Routine& routine, const Builder& builder, const FrameLayout& frame) {
  for (const auto& [slot, bits] : builder.constants) {
    routine.constants.push_back({frame.offsets[slot], builder.sketch.slots[slot].bytes, bits});
  }
  for (const auto& [slot, special] : builder.specials)
    routine.specials.push_back({frame.offsets[slot], special});
  routine.reserves_shared = std::ranges::any_of(builder.specials, [](const auto& slot) {
    return slot.second >= Special::reserved_shared_0 && slot.second <= Special::reserved_shared_end;
  });
  for (auto [slot, parameter] : builder.parameters) {
    parameter.slot = frame.offsets[slot];
    routine.parameters.push_back(parameter);
  }
}

/// An operation for each draft.
/// @param joins where each one's branch meets again
void fill_code(Routine& routine, Builder& builder, const FrameLayout& frame,
               const std::vector<std::uint32_t>& joins) {
  const std::vector<ptx::Instruction>& instructions = builder.function().instructions;
  const std::vector<Draft>& drafts = builder.sketch.drafts;
  routine.code.resize(drafts.size());
  const Handler jump = builder.entry("bra").run;
  const Handler branch = builder.entry("bra.if").run;
  for (std::uint32_t i = 0; i < drafts.size(); ++i) {
    const Draft& draft = drafts[i];
    Operation& operation = routine.code[i];
    operation.run = draft.run;
    operation.immediate = draft.immediate;
    operation.more = draft.more;
    operation.site = draft.site;
    operation.join = static_cast<std::int32_t>(joins[i]) - static_cast<std::int32_t>(i);
    fill_slots(routine, operation, draft, frame);
    routine.stands_for.push_back(draft.stands_for);
    if (checking()) routine.uses.push_back(uses_of(draft, builder.sketch, frame));
    if (!draft.targets.empty()) {
      const std::uint32_t target = builder.sketch.labels[draft.targets.front()];
      operation.target = routine.code.data() + target;
      if (target <= i && draft.run == jump) operation.run = builder.entry("bra.back").run;
      if (target <= i && draft.run == branch) operation.run = builder.entry("bra.if.back").run;
    }
    if (draft.doubt) operation.site = builder.add_division(draft.instruction, *draft.doubt) + 1;
    const Instruction* const from = instructions.empty() ? nullptr : &instructions[draft.instruction];
    routine.origins.push_back(from != nullptr ? Origin{from->opcode, from->line, from->position} : Origin{});
  }
}

}  // namespace

Routine decode(const ptx::Module& module, const ptx::Function& function, const Surroundings& surroundings) {
  Builder builder(function, surroundings);
  sketch(builder);
  const std::vector<Draft> preparation = function.kernel ? take_preparation(builder) : std::vector<Draft>{};
  count_instructions(builder);
  const std::vector<std::uint32_t> joins =
      insert_joins(builder.sketch, builder.entry("meet").run, function.kernel);
  const FrameLayout frame = lay_out_frame(builder.sketch);

  Routine routine;
  describe(routine, function, surroundings.layout);
  routine.decoded_from = &module;
  routine.frame_bytes = frame.bytes;
  if (!surroundings.executions.exact) routine.doubts.insert(Doubt::machine_code);
  routine.order_matters = builder.order_matters;
  routine.call_sites = std::move(builder.call_sites);
  fill_first_values(routine, builder, frame);
  for (const Draft& draft : preparation) {
    routine.preparation.push_back({.run = draft.run});
    fill_slots(routine, routine.preparation.back(), draft, frame);
  }
  fill_code(routine, builder, frame, joins);
  return routine;
}

}  // namespace weft::emulator
