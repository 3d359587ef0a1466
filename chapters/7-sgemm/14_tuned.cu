// A table says which shape of the tiles was fastest near the size of the product.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "candidates.hpp"
#include "problem.hpp"
#include "step/step.hpp"
#include "tiled.hpp"

namespace {
/// A product, and the number of the candidate that is best for it.
struct Row {
  std::int64_t m, n, k;
  int candidate;
};

/// The number of a shape in the list of candidates; -1 if it is not there.
constexpr int number_of(int rows, int columns, int depth, int warp_rows, int warp_columns, int held_rows,
                        int held_columns, int stages, int turned) {
  for (int i = 0; i < static_cast<int>(std::ssize(candidates)); ++i) {
    const TileShape& shape = candidates[i];
    if (shape.rows == rows && shape.columns == columns && shape.depth == depth &&
        shape.warp_rows == warp_rows && shape.warp_columns == warp_columns && shape.held_rows == held_rows &&
        shape.held_columns == held_columns && shape.stages == stages && shape.turned == (turned != 0)) {
      return i;
    }
  }
  return -1;
}

// [tables]
/// What was published; an empty row ends a table.
struct Published {
  static constexpr const char* name = "tuned";
  static constexpr Row rows[] = {
#include "published_tiles.inc"
      {0, 0, 0, 0}};
};

/// What `make tune7` found on this machine.
struct FoundHere {
  static constexpr const char* name = "tuned-here";
  static constexpr Row rows[] = {
#include "tiles_found_here.inc"
      {0, 0, 0, 0}};
};
// [tables]

constexpr bool all_are_candidates(const auto& table) {
  return std::ranges::all_of(table, [](const Row& row) { return row.candidate >= 0; });
}
static_assert(all_are_candidates(Published::rows) && all_are_candidates(FoundHere::rows),
              "a table has a shape that candidates.hpp has not: `make tune7` finds another one");

// [nearest]
/// The row whose product is nearest: by the logarithms of what is divided among blocks, and of k.
template <class Table>
std::size_t nearest(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto distance = [&](const Row& row) {
    const auto apart = [](std::int64_t a, std::int64_t b) {
      return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
    };
    return apart(m, row.m) + apart(n, row.n) + apart(std::max<std::int64_t>(k, 1), row.k);
  };
  const auto* const end = std::end(Table::rows) - 1;
  return static_cast<std::size_t>(std::ranges::min_element(Table::rows, end, {}, distance) - Table::rows);
}
// [nearest]

/// One row of a table, as a step of its own.
struct Tuned {
  Launch launch;
  Predict predict;
  Workspace workspace;
};

template <class Table, std::size_t... row>
List<Tuned> tuned_by(std::index_sequence<row...> /*rows*/) {
  return {{tiled::launch<Table::rows[row].candidate>, tiled::predict<Table::rows[row].candidate>,
           tiled::workspace_of<Table::rows[row].candidate>}...};
}

/// Registers a step that takes its tiles from a table, unless it is empty.
template <class Table>
void add_tuned() {
  static const List<Tuned> steps = tuned_by<Table>(std::make_index_sequence<std::size(Table::rows) - 1>{});
  if (steps.empty()) return;
  const Launch launch = [](cudaStream_t stream, const Sgemm& p) {
    steps[nearest<Table>(p.m, p.n, p.k)].launch(stream, p);
  };
  const Predict predict = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return steps[nearest<Table>(m, n, k)].predict(m, n, k);
  };
  const Workspace workspace = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return steps[nearest<Table>(m, n, k)].workspace(m, n, k);
  };
  add_product(Table::name, {}, launch, predict, {.workspace = workspace, .everywhere = true});
}
}  // namespace

// [steps]
void weft::register_steps() {
  add_tuned<Published>();
  add_tuned<FoundHere>();
}
// [steps]
