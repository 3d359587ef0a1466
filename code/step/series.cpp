#include "step/series.hpp"

#include <stdexcept>
#include <string>

#include "step/shapes.hpp"
#include "step/text.hpp"

namespace weft {

Grid read(const Series& series, Problem& problem) {
  Grid grid = series.read(problem);
  if (grid.lengths.size() != series.axes.size() || elements(grid.lengths) != std::ssize(grid.values)) {
    throw std::runtime_error(std::string("series '") + series.name.text() + "' has " +
                             std::to_string(series.axes.size()) + " axes and " +
                             std::to_string(grid.values.size()) + " values, but a grid of " +
                             to_string(grid.lengths));
  }
  return grid;
}

}  // namespace weft
