#include "step/shapes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace weft {
namespace {

void add_all_pairs(List<Shape>& shapes, const Numbers& rows, const Numbers& columns) {
  for (const std::int64_t r : rows) {
    for (const std::int64_t c : columns) shapes.push_back({r, c});
  }
}

Numbers around(std::int64_t extent) { return {extent - 1, extent, extent + 1}; }

}  // namespace

List<Shape> adversarial_shapes(std::int64_t tile_rows, std::int64_t tile_columns) {
  List<Shape> shapes{{0, 0}, {0, 1}, {1, 0}, {0, 37}, {37, 0}};
  add_all_pairs(shapes, {1}, {1, 2, 3, 31, 32, 33, 1031});
  add_all_pairs(shapes, {2, 3, 31, 32, 33, 1031}, {1});
  add_all_pairs(shapes, around(32), around(32));
  shapes.append({{2, 3}, {7, 13}, {37, 31}, {127, 131}, {263, 257}, {509, 1021}});  // primes
  shapes.append({{4, 4}, {5, 8}, {8, 5}, {36, 44}, {100, 68}, {68, 98}});  // whole float4s, and nearly
  add_all_pairs(shapes, around(tile_rows), around(tile_columns));
  add_all_pairs(shapes, around(2 * tile_rows), around(2 * tile_columns));
  shapes.append({{4099, 3}, {3, 4099}, {2053, 33}, {33, 2053}});
  constexpr std::int64_t grid_limit = 65535;  // blocks in y and z
  shapes.push_back({(grid_limit + 1) * tile_rows + 1, 2});
  shapes.push_back({2, (grid_limit + 1) * tile_columns + 1});

  List<Shape> unique;
  for (const Shape& shape : shapes) {
    if (std::ranges::find(unique, shape) == unique.end()) unique.push_back(shape);
  }
  return unique;
}

List<Shape> large_shapes() { return {{46349, 46351}}; }

std::int64_t elements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace weft
