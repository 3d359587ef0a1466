#include "emulator/sketch/flow.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace weft::emulator {
namespace {

/// Blocks in the order in which a walk against the edges, from the end, leaves them.
std::vector<std::uint32_t> backward_post_order(const std::vector<std::vector<std::uint32_t>>& predecessors,
                                               std::uint32_t end) {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(predecessors.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> path{{end, 0}};
  seen[end] = true;
  while (!path.empty()) {
    auto& [block, next] = path.back();
    if (next == predecessors[block].size()) {
      order.push_back(block);
      path.pop_back();
      continue;
    }
    const std::uint32_t predecessor = predecessors[block][next++];
    if (seen[predecessor]) continue;
    seen[predecessor] = true;
    path.emplace_back(predecessor, 0);
  }
  return order;
}

/// Whether control goes on behind a draft.
bool falls_through(const Draft& draft) {
  return draft.flow == Flow::next || (draft.flow == Flow::branch && draft.targets.size() == 1);
}

}  // namespace

std::vector<BasicBlock> basic_blocks(const Sketch& sketch) {
  const auto count = static_cast<std::uint32_t>(sketch.drafts.size());
  std::vector<bool> starts(count + 1);
  starts[0] = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Draft& draft = sketch.drafts[i];
    if (draft.flow == Flow::next) continue;
    starts[i + 1] = true;
    for (const std::uint32_t label : draft.targets) starts[sketch.labels[label]] = true;
  }
  std::vector<std::uint32_t> block_at(count + 1);
  std::vector<BasicBlock> blocks;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (starts[i]) blocks.push_back({i, i, {}});
    blocks.back().last = i + 1;
    block_at[i] = static_cast<std::uint32_t>(blocks.size()) - 1;
  }
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const Draft& draft = sketch.drafts[blocks[b].last - 1];
    if (falls_through(draft) && blocks[b].last < count) blocks[b].successors.push_back(b + 1);
    for (const std::uint32_t label : draft.targets)
      blocks[b].successors.push_back(block_at[sketch.labels[label]]);
  }
  return blocks;
}

std::vector<std::uint32_t> immediate_post_dominators(const std::vector<BasicBlock>& blocks) {
  // Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm, on the reversed graph.
  const auto end = static_cast<std::uint32_t>(blocks.size());
  std::vector<std::vector<std::uint32_t>> predecessors(blocks.size() + 1);
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    for (const std::uint32_t successor : blocks[b].successors) predecessors[successor].push_back(b);
    if (blocks[b].successors.empty()) predecessors[end].push_back(b);
  }
  const std::vector<std::uint32_t> order = backward_post_order(predecessors, end);
  std::vector<std::uint32_t> rank(blocks.size() + 1, 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;

  std::vector<std::uint32_t> dominator(blocks.size() + 1, no_block);
  dominator[end] = end;
  const auto common = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (rank[a] < rank[b]) a = dominator[a];
      while (rank[b] < rank[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t block : std::views::reverse(order)) {
      if (block == end) continue;
      std::uint32_t found = blocks[block].successors.empty() ? end : no_block;
      for (const std::uint32_t successor : blocks[block].successors) {
        if (dominator[successor] == no_block) continue;
        found = found == no_block ? successor : common(found, successor);
      }
      if (found != dominator[block]) {
        dominator[block] = found;
        changed = true;
      }
    }
  }
  dominator.pop_back();
  for (std::uint32_t& block : dominator) block = block == end ? no_block : block;
  return dominator;
}

namespace {

/// Whether there is a way from each block to an end.
std::vector<bool> reach_an_end(const std::vector<BasicBlock>& blocks) {
  std::vector<bool> reach(blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      const auto& successors = blocks[b].successors;
      const bool reaches = successors.empty() ||
                           std::ranges::any_of(successors, [&](std::uint32_t next) { return reach[next]; });
      changed = changed || reaches != reach[b];
      reach[b] = reaches;
    }
  }
  return reach;
}

/// Lanes that have nothing left to do do not keep others from meeting: ptxas lets those meet that go on. Only
/// where a loop has no other way out, that way stays.
void leave_out_exits(std::vector<BasicBlock>& blocks, const Sketch& sketch) {
  const auto only_leaves = [&](std::uint32_t b) {
    const BasicBlock& block = blocks[b];
    return block.last - block.first == 1 && sketch.drafts[block.first].flow == Flow::leave;
  };
  const std::vector<BasicBlock> all = blocks;
  std::vector<bool> kept(blocks.size());
  for (bool changed = true; changed;) {
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      auto& successors = blocks[b].successors;
      successors = all[b].successors;
      if (!kept[b] && !std::ranges::all_of(successors, only_leaves)) std::erase_if(successors, only_leaves);
    }
    const std::vector<bool> reach = reach_an_end(blocks);
    changed = false;
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      if (reach[b] || kept[b] || blocks[b].successors.size() == all[b].successors.size()) continue;
      kept[b] = changed = true;
    }
  }
}

/// The blocks between one and where a branch's ways meet.
std::vector<bool> between(const std::vector<BasicBlock>& blocks, std::uint32_t from, std::uint32_t branch,
                          std::uint32_t meeting) {
  std::vector<bool> reached(blocks.size());
  std::vector<std::uint32_t> left{from};
  while (!left.empty()) {
    const std::uint32_t block = left.back();
    left.pop_back();
    if (block == meeting || block == branch || reached[block]) continue;
    reached[block] = true;
    for (const std::uint32_t next : blocks[block].successors) left.push_back(next);
  }
  return reached;
}

/// Whether the two sides of a branch have a block with accesses in common before they meet: it depends on the
/// order in which they run, and on how ptxas has arranged them, whether lanes of both sides execute it
/// together.
bool comes_to_an_access_by_several_ways(const Sketch& sketch, const std::vector<BasicBlock>& blocks,
                                        std::uint32_t branch, std::uint32_t meeting) {
  const std::vector<std::uint32_t>& sides = blocks[branch].successors;
  if (sides.size() != 2 || sides[0] == meeting || sides[1] == meeting) return false;
  const auto accesses = [&](const BasicBlock& block) {
    return std::any_of(sketch.drafts.begin() + block.first, sketch.drafts.begin() + block.last,
                       [](const Draft& one) {
                         return one.use == Use::load || one.use == Use::store || one.use == Use::update;
                       });
  };
  const std::vector<bool> first = between(blocks, sides[0], branch, meeting);
  const std::vector<bool> second = between(blocks, sides[1], branch, meeting);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (first[b] && second[b] && accesses(blocks[b])) return true;
  }
  return false;
}

}  // namespace

std::vector<std::uint32_t> insert_joins(Sketch& sketch, Handler meet, bool exits) {
  std::vector<BasicBlock> blocks = basic_blocks(sketch);
  if (exits) leave_out_exits(blocks, sketch);
  const std::vector<std::uint32_t> dominators = immediate_post_dominators(blocks);
  const auto divides = [&](const BasicBlock& block) {
    const Draft& last = sketch.drafts[block.last - 1];
    return last.flow == Flow::branch && !last.uniform;
  };
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    if (!sketch.drafts[blocks[b].last - 1].doubt && divides(blocks[b]) &&
        comes_to_an_access_by_several_ways(sketch, blocks, b, dominators[b]))
      sketch.drafts[blocks[b].last - 1].doubt = Doubt::ways;
  }
  std::vector<bool> joins(blocks.size());
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    if (divides(blocks[b]) && dominators[b] != no_block) joins[dominators[b]] = true;
  }

  std::vector<std::uint32_t> moved(sketch.drafts.size() + 1);  // old index -> new
  std::vector<std::uint32_t> start(blocks.size());             // of each block, its join included
  std::vector<Draft> drafts;
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    start[b] = static_cast<std::uint32_t>(drafts.size());
    if (joins[b]) {
      Draft join;
      join.run = meet;
      join.instruction = sketch.drafts[blocks[b].first].instruction;
      drafts.push_back(join);
    }
    for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      moved[i] = static_cast<std::uint32_t>(drafts.size());
      drafts.push_back(std::move(sketch.drafts[i]));
    }
    moved[blocks[b].first] = start[b];  // labels point at the join
  }
  moved.back() = static_cast<std::uint32_t>(drafts.size());
  for (std::uint32_t& label : sketch.labels) label = moved[label];
  sketch.drafts = std::move(drafts);

  std::vector<std::uint32_t> join_of(sketch.drafts.size());
  for (std::uint32_t i = 0; i < join_of.size(); ++i) join_of[i] = i;
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const std::uint32_t last =
        (b + 1 < blocks.size() ? start[b + 1] : static_cast<std::uint32_t>(join_of.size())) - 1;
    const Draft& draft = sketch.drafts[last];
    if (draft.flow == Flow::branch && !draft.uniform && dominators[b] != no_block)
      join_of[last] = start[dominators[b]];
  }
  return join_of;
}

}  // namespace weft::emulator
