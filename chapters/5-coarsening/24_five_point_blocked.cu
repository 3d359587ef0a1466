// Several sweeps in one launch: a warp marches down its columns and keeps, of each sweep, the two rows that
// the next one still needs in registers.
#include "sweep.hpp"
#include "waves.hpp"

namespace {
constexpr int warps = 4;                          // of a block, side by side
constexpr int columns = 4;                        // of a lane
constexpr int span = model::warp_size * columns;  // columns of a warp
constexpr int ahead = 4;  // rows that are on their way to a lane; even, for rows change places two by two

/// Blocks that a multiprocessor holds at once: their registers allow as many.
constexpr int blocks_of_multiprocessor(int sweeps) { return sweeps > 5 ? 3 : 4; }

/// Columns on either side of a warp's that lack neighbours after so many sweeps: whole lanes.
__host__ __device__ constexpr int halo_of(int sweeps) { return (sweeps + columns - 1) / columns * columns; }

// [march]
/// Rows [first, last) of the output, at the columns of this warp.
/// @param x this lane's first column
/// @tparam inside whether no edge of the field is near
/// @tparam whole whether rows are aligned to lanes
template <int sweeps, bool inside, bool whole>
__device__ void march(const Field& field, int x, int first, int last, bool stores) {
  const auto width = static_cast<int>(field.width);
  const auto height = static_cast<int>(field.height);
  using Row = Floats<columns>;
  const int end = last + sweeps;
  const auto load_row = [&](int y) {
    const float* const from = &field.in[y * field.width + x];
    Row row{};
    if constexpr (inside) {
      row = load<columns>(from);
    } else if constexpr (whole) {
      if (y >= 0 && y < height && x >= 0 && x < width) row = load<columns>(from);
    } else {
#pragma unroll
      for (int j = 0; j < columns; ++j)
        if (y >= 0 && y < height && x >= 0 && x + j < width) row.at[j] = from[j];
    }
    return row;
  };
  const auto store_row = [&](int y, const Row& row) {
    if (!stores || y < first || y >= last) return;
    float* const to = &field.out[y * field.width + x];
    if constexpr (whole) {
      store(to, row);
    } else {
#pragma unroll
      for (int j = 0; j < columns; ++j)
        if (x + j < width) to[j] = row.at[j];
    }
  };

  Row coming[ahead];
  Row rows[2][sweeps];  // that each sweep's next row lacks: of sweep 0, the input
#pragma unroll
  for (int i = 0; i < ahead; ++i) coming[i] = load_row(first - sweeps + i);
#pragma unroll 1
  for (int top = first - sweeps; top < end; top += ahead) {
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      Row south = coming[i];
      if (top + ahead + i < end) coming[i] = load_row(top + ahead + i);
#pragma unroll
      for (int sweep = 0; sweep < sweeps; ++sweep) {
        Row& north = rows[i % 2][sweep];
        const Row& middle = rows[1 - i % 2][sweep];
        const float west = __shfl_up_sync(~0U, middle.at[columns - 1], 1);
        const float east = __shfl_down_sync(~0U, middle.at[0], 1);
        const int y = top + i - sweep - 1;
        Row made;
#pragma unroll
        for (int j = 0; j < columns; ++j) {
          made.at[j] = mean_of(middle.at[j], j > 0 ? middle.at[j - 1] : west,
                               j + 1 < columns ? middle.at[j + 1] : east, north.at[j], south.at[j]);
          if constexpr (!inside) {
            const bool stays = y == 0 || y == height - 1 || x + j == 0 || x + j == width - 1;
            if (stays) made.at[j] = middle.at[j];
          }
        }
        north = south;
        south = made;
      }
      store_row(top + i - sweeps, south);
    }
  }
}
// [march]

// [kernel]
/// @param strips spans side by side, which overlap by their halos
/// @param rows of the output for a block
template <int sweeps>
__global__ __launch_bounds__(warps* model::warp_size,
                             blocks_of_multiprocessor(sweeps)) void five_point_blocked(Field field,
                                                                                       int strips, int rows) {
  constexpr int halo = halo_of(sweeps);
  const int strip = static_cast<int>(blockIdx.x * warps + threadIdx.x / model::warp_size);
  if (strip >= strips) return;
  const int place = static_cast<int>(threadIdx.x) % model::warp_size * columns;
  const int x = strip * (span - 2 * halo) + place - halo;  // what it stores begins with a sector
  const int first = static_cast<int>(blockIdx.y) * rows;
  const int last = min(first + rows, static_cast<int>(field.height));
  const bool stores = x < field.width && place >= halo && (strip == strips - 1 || place < span - halo);
  const bool inside = strip > 0 && strip < strips - 1 && first > sweeps && last + sweeps < field.height;
  if (field.width % columns != 0) {
    march<sweeps, false, false>(field, x, first, last, stores);
  } else if (inside) {
    march<sweeps, true, true>(field, x, first, last, stores);
  } else {
    march<sweeps, false, true>(field, x, first, last, stores);
  }
}
// [kernel]

// [plan]
/// Which columns and rows a warp takes.
struct Plan {
  std::int64_t strips;
  std::int64_t rows;
  dim3 grid;

  Plan(const Field& field, int sweeps) {
    strips = strips_over(field.width + halo_of(sweeps), span, halo_of(sweeps));
    const std::int64_t across = blocks_over(strips, warps);
    const std::int64_t parts =
        best_parts(across, std::int64_t{multiprocessors()} * blocks_of_multiprocessor(sweeps), field.height,
                   std::int64_t{2} * sweeps, std::int64_t{8} * sweeps);
    rows = max(blocks_over(field.height, parts), blocks_over(field.height, most_blocks_in_y));
    grid = dim3(static_cast<unsigned>(across), static_cast<unsigned>(blocks_over(field.height, rows)));
  }
};
// [plan]

auto kernel_of(int sweeps) {
  if (sweeps == 1) return five_point_blocked<1>;
  if (sweeps == 2) return five_point_blocked<2>;
  if (sweeps == 3) return five_point_blocked<3>;
  if (sweeps == 4) return five_point_blocked<4>;
  return sweeps == 5 ? five_point_blocked<5> : five_point_blocked<7>;
}

void launch(cudaStream_t stream, const Field& field, int sweeps) {
  const Plan plan(field, sweeps);
  kernel_of(sweeps)<<<plan.grid, warps * model::warp_size, 0, stream>>>(field, static_cast<int>(plan.strips),
                                                                        static_cast<int>(plan.rows));
}

/// Of a field whose width the lanes divide.
model::Prediction predict(const Field& field, int sweeps) {
  const Plan plan(field, sweeps);
  const int halo = halo_of(sweeps);
  std::int64_t loaded = 0;  // rows, by a strip
  for (std::int64_t first = 0; first < field.height; first += plan.rows) {
    loaded += min(min(first + plan.rows, field.height) + sweeps, field.height) -
              max(first - sweeps, std::int64_t{0});
  }
  model::Prediction prediction;
  for (std::int64_t strip = 0; strip < plan.strips; ++strip) {
    const std::int64_t left = strip * (span - 2 * halo) - halo;
    const auto lanes = [=](int before, int behind) {
      return [=](int lane) {
        const std::int64_t x = left + std::int64_t{lane} * columns;
        const bool active = lane * columns >= before && lane * columns < behind && x >= 0 && x < field.width;
        return active ? model::Element(x / columns) : model::Element();
      };
    };
    prediction.global_load(loaded, 4 * columns, lanes(0, span))
        .global_store(field.height, 4 * columns, lanes(halo, strip == plan.strips - 1 ? span : span - halo));
  }
  return prediction;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("sweeps", {4, 1, 2, 3, 5, 7}).settings()) {
    const int sweeps = setting.number();
    add(plane_variant(
        "five-point-blocked", setting,
        {.launch = [=](cudaStream_t stream, const Field& field) { launch(stream, field, sweeps); },
         .sweeps = sweeps,
         .predict = [=](const Field& field) { return predict(field, sweeps); }}));
  }
}
