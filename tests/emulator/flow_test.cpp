#include "emulator/sketch/flow.hpp"

#include <doctest/doctest.h>

#include "emulator/sketch/frame.hpp"

using namespace weft::emulator;

namespace {

/// A graph of blocks, given by their successors.
std::vector<BasicBlock> graph(const std::vector<std::vector<std::uint32_t>>& successors) {
  std::vector<BasicBlock> blocks;
  blocks.reserve(successors.size());
  for (const auto& list : successors) blocks.push_back({0, 1, list});
  return blocks;
}

Draft draft(std::vector<std::uint32_t> results, std::vector<std::uint32_t> operands) {
  Draft made;
  made.results = std::move(results);
  made.operands = std::move(operands);
  return made;
}

}  // namespace

TEST_CASE("immediate post-dominators") {
  using Blocks = std::vector<std::uint32_t>;
  CHECK(immediate_post_dominators(graph({{1, 2}, {3}, {3}, {}})) == Blocks{3, 3, 3, no_block});
  CHECK(immediate_post_dominators(graph({{1}, {1, 2}, {}})) == Blocks{1, 2, no_block});  // a loop
  CHECK(immediate_post_dominators(graph({{1, 2}, {}, {}})) ==
        Blocks{no_block, no_block, no_block});  // two ends
  CHECK(immediate_post_dominators(graph({{1, 3}, {2, 3}, {3}, {}})) == Blocks{3, 3, 3, no_block});
  CHECK(immediate_post_dominators(graph({{0}})) == Blocks{no_block});  // no end
}

TEST_CASE("slots share a place when their values do not meet") {
  Sketch sketch;
  sketch.slots.resize(4);
  sketch.drafts = {draft({0}, {}), draft({1}, {0}), draft({2}, {1}), draft({3}, {2, 1}), draft({}, {3})};
  const FrameLayout layout = lay_out_frame(sketch);
  CHECK(layout.offsets[0] == layout.offsets[1]);
  CHECK(layout.offsets[1] != layout.offsets[2]);
  CHECK(layout.bytes == 2 * 128);
}

TEST_CASE("what a loop needs again keeps its place") {
  Sketch sketch;
  sketch.slots.resize(3);
  sketch.labels = {1};
  sketch.drafts = {draft({0}, {}), draft({1}, {0}), draft({2}, {1}), draft({}, {2})};
  sketch.drafts.back().flow = Flow::branch;
  sketch.drafts.back().targets = {0};
  const FrameLayout layout = lay_out_frame(sketch);
  CHECK(layout.offsets[0] != layout.offsets[1]);
  CHECK(layout.offsets[0] != layout.offsets[2]);
}
