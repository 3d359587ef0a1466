// Tiles of other shapes, deeper or shallower, for more or fewer threads: measurements say which is best.
#include <iterator>
#include <utility>

#include "candidates.hpp"
#include "problem.hpp"
#include "step/step.hpp"
#include "tiled.hpp"

namespace {
/// Registers the variant with the shape of this number.
template <int candidate>
void add_candidate() {
  constexpr TileShape shape = candidates[candidate];
  const Parameters parameters{{"tile", {shape.rows, shape.columns, shape.depth}},
                              {"warp", {shape.warp_rows, shape.warp_columns}},
                              {"thread", {shape.held_rows, shape.held_columns}},
                              {"stages", {shape.stages}},
                              {"turned", {shape.turned ? 1 : 0}}};
  add(product_variant("tile-shapes", {parameters, candidate == 0}, tiled::launch<candidate>,
                      tiled::predict<candidate>,
                      {.workspace = tiled::workspace_of<candidate>, .curve = true}));
}

template <int... numbers>
void add_candidates(std::integer_sequence<int, numbers...> /*all*/) {
  (add_candidate<numbers>(), ...);
}
}  // namespace

// [candidates]
void weft::register_steps() { add_candidates(std::make_integer_sequence<int, std::size(candidates)>{}); }
// [candidates]
