#include "emulator/sketch/preparation.hpp"

#include <algorithm>
#include <utility>

namespace weft::emulator {
namespace {

/// Takes drafts out for which `wanted` is true; labels go on to what followed.
std::vector<Draft> take_out(Sketch& sketch, auto wanted) {
  std::vector<Draft> taken;
  std::vector<Draft> left;
  std::vector<std::uint32_t> moved(sketch.drafts.size() + 1);  // old index -> new
  for (std::size_t i = 0; i < sketch.drafts.size(); ++i) {
    moved[i] = static_cast<std::uint32_t>(left.size());
    Draft& draft = sketch.drafts[i];
    (wanted(std::as_const(draft)) ? taken : left).push_back(std::move(draft));
  }
  moved.back() = static_cast<std::uint32_t>(left.size());
  for (std::uint32_t& label : sketch.labels) label = moved[label];
  sketch.drafts = std::move(left);
  return taken;
}

}  // namespace

std::vector<Draft> take_preparation(Builder& builder) {
  Sketch& sketch = builder.sketch;
  std::vector<int> definitions(sketch.slots.size());
  std::vector<bool> same(sketch.slots.size());  // in all blocks
  for (const Draft& draft : sketch.drafts) {
    for (const std::uint32_t slot : draft.results) ++definitions[slot];
  }
  for (std::size_t slot = 0; slot < same.size(); ++slot) same[slot] = sketch.slots[slot].fixed;
  for (const auto& [slot, special] : builder.specials) same[slot] = !changes_with_block(special);

  // [same]
  // Drafts follow those whose results they use, but for loops, which bring no slot that is defined once.
  return take_out(sketch, [&](const Draft& draft) {
    const bool taken = draft.pure &&
                       std::ranges::all_of(draft.operands, [&](std::uint32_t slot) { return same[slot]; }) &&
                       std::ranges::all_of(draft.results, [&](std::uint32_t slot) {
                         return definitions[slot] == 1 && !sketch.slots[slot].predicate;
                       });
    for (const std::uint32_t slot : draft.results) {
      if (taken) same[slot] = sketch.slots[slot].fixed = true;
    }
    return taken;
  });
  // [same]
}

}  // namespace weft::emulator
