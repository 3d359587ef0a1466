// Tiles of other shapes, deeper or shallower, for more or fewer threads: which is best is measured.
#include <iterator>
#include <utility>

#include "candidates.hpp"
#include "step/step.hpp"
#include "problem.hpp"
#include "tiled.hpp"

namespace {
/// Registers a step with the shape of this number.
template <int candidate>
void add_candidate() {
  constexpr TileShape shape = candidates[candidate];
  const Parameters parameters{{"tile", {shape.rows, shape.columns, shape.depth}},
                              {"warp", {shape.warp_rows, shape.warp_columns}},
                              {"thread", {shape.held_rows, shape.held_columns}},
                              {"stages", {shape.stages}},
                              {"turned", {shape.turned ? 1 : 0}}};
  Variant variant = Step::variant("tile-shapes", parameters, tiled::launch<candidate>,
                                  tiled::predict<candidate>, {.workspace = tiled::workspace_of<candidate>});
  variant.sweep = true;
  add(std::move(variant));
}

// [candidates]
template <int... numbers>
bool add_candidates(std::integer_sequence<int, numbers...>) {
  (add_candidate<numbers>(), ...);
  return true;
}
const bool added = add_candidates(std::make_integer_sequence<int, std::size(candidates)>{});
// [candidates]
}  // namespace
