// Several sweeps in one launch: a block marches along the third axis, keeps of each sweep the planes that the
// next one still needs in registers, and warps hand each other their outermost rows through shared memory.
#include "sweep.hpp"
#include "waves.hpp"

namespace {
constexpr int columns = 4;                        // of a lane
constexpr int span = model::warp_size * columns;  // columns of a block
constexpr int halo_columns = columns;             // on either side: a lane, enough for four sweeps

/// What a block is.
struct Tile {
  int warps;  ///< one below the other
  int rows;   ///< of a warp
  int blocks_of_multiprocessor;
};

/// More sweeps keep more planes: a block then has fewer rows of each.
__host__ __device__ constexpr Tile tile_of(int sweeps) {
  if (sweeps == 1) return {8, 4, 2};
  if (sweeps == 2) return {16, 3, 1};
  return sweeps == 3 ? Tile{12, 3, 1} : Tile{16, 2, 1};
}

// [handed]
/// The first and the last row of each warp, of the plane that each sweep made last. There are two buffers: a
/// turn writes one while it reads the other.
template <int sweeps>
struct Handed {
  float4 rows[2][sweeps][tile_of(sweeps).warps][2][model::warp_size];
};
// [handed]

// [kernel]
/// @param planes of the output for a block
/// @tparam whole whether rows are aligned to lanes
template <int sweeps, bool whole>
__global__ __launch_bounds__(tile_of(sweeps).warps* model::warp_size,
                             tile_of(sweeps).blocks_of_multiprocessor) void seven_point_blocked(Field field,
                                                                                                int planes) {
  constexpr Tile tile = tile_of(sweeps);
  constexpr int tile_height = tile.warps * tile.rows;
  using Rows = Floats<columns>[tile.rows];
  extern __shared__ float4 shared[];
  auto& handed = *reinterpret_cast<Handed<sweeps>*>(shared);
  const int lane = static_cast<int>(threadIdx.x) % model::warp_size;
  const int warp = static_cast<int>(threadIdx.x) / model::warp_size;
  const auto width = static_cast<int>(field.width);
  const auto height = static_cast<int>(field.height);
  const auto depth = static_cast<int>(field.depth);
  const int x = static_cast<int>(blockIdx.x) * (span - 2 * halo_columns) + lane * columns;
  const int y = static_cast<int>(blockIdx.y) * (tile_height - 2 * sweeps) + warp * tile.rows;
  const int first = static_cast<int>(blockIdx.z) * planes;
  const int last = min(first + planes, depth);
  const int end = last + sweeps;
  const std::int64_t area = field.height * field.width;
  const std::int64_t place = std::int64_t{y} * width + x;

  const auto load_plane = [&](int z, Rows& rows) {
#pragma unroll
    for (int r = 0; r < tile.rows; ++r) {
      if (z < 0 || z >= depth || y + r >= height) continue;
      const float* const from = &field.in[z * area + place + std::int64_t{r} * width];
      if constexpr (whole) {
        if (x < width) rows[r] = load<columns>(from);
      } else {
#pragma unroll
        for (int j = 0; j < columns; ++j)
          if (x + j < width) rows[r].at[j] = from[j];
      }
    }
  };
  const bool stores = x < width && (blockIdx.x == 0 || lane > 0) &&
                      (blockIdx.x == gridDim.x - 1 || lane < model::warp_size - 1);
  const int top = blockIdx.y == 0 ? 0 : sweeps;
  const int bottom = tile_height - (blockIdx.y == gridDim.y - 1 ? 0 : sweeps);
  const auto store_plane = [&](int z, const Rows& rows) {
    if (z < first || z >= last) return;
#pragma unroll
    for (int r = 0; r < tile.rows; ++r) {
      const int row = warp * tile.rows + r;
      if (!stores || row < top || row >= bottom || y + r >= height) continue;
      float* const to = &field.out[z * area + place + std::int64_t{r} * width];
      if constexpr (whole) {
        store(to, rows[r]);
      } else {
#pragma unroll
        for (int j = 0; j < columns; ++j)
          if (x + j < width) to[j] = rows[r].at[j];
      }
    }
  };

  Rows coming{};
  Rows kept[2][sweeps]{};  // that each sweep's next plane lacks: of sweep 0, the input
  load_plane(first - sweeps, coming);
#pragma unroll 1
  for (int turn = first - sweeps; turn < end; turn += 2) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      Rows behind;
#pragma unroll
      for (int r = 0; r < tile.rows; ++r) behind[r] = coming[r];
      if (turn + i + 1 < end) load_plane(turn + i + 1, coming);
#pragma unroll
      for (int sweep = 0; sweep < sweeps; ++sweep) {
        Rows& before = kept[i][sweep];
        const Rows& middle = kept[1 - i][sweep];
        handed.rows[i][sweep][warp][0][lane] = four_of(behind[0]);
        handed.rows[i][sweep][warp][1][lane] = four_of(behind[tile.rows - 1]);
        const auto& others = handed.rows[1 - i][sweep];
        const auto above = floats_of(others[max(warp - 1, 0)][1][lane]);
        const auto below = floats_of(others[min(warp + 1, tile.warps - 1)][0][lane]);
        const int z = turn + i - sweep - 1;
        const bool at_end = z == 0 || z == depth - 1;
        Rows made;
#pragma unroll
        for (int r = 0; r < tile.rows; ++r) {
          const float west = __shfl_up_sync(~0U, middle[r].at[columns - 1], 1);
          const float east = __shfl_down_sync(~0U, middle[r].at[0], 1);
          const auto& north = r > 0 ? middle[r - 1] : above;
          const auto& south = r + 1 < tile.rows ? middle[r + 1] : below;
          const bool row_stays = at_end || y + r == 0 || y + r == height - 1;
#pragma unroll
          for (int j = 0; j < columns; ++j) {
            const float mean = mean_of(middle[r].at[j], j > 0 ? middle[r].at[j - 1] : west,
                                       j + 1 < columns ? middle[r].at[j + 1] : east, north.at[j], south.at[j],
                                       before[r].at[j], behind[r].at[j]);
            const bool first_column = (!whole || j == 0) && x + j == 0;
            const bool last_column = (!whole || j == columns - 1) && x + j == width - 1;
            made[r].at[j] = row_stays || first_column || last_column ? middle[r].at[j] : mean;
          }
        }
#pragma unroll
        for (int r = 0; r < tile.rows; ++r) {
          before[r] = behind[r];
          behind[r] = made[r];
        }
      }
      store_plane(turn + i - sweeps, behind);
      __syncthreads();  // the rows of this turn are there, and those of the turn before were read
    }
  }
}
// [kernel]

// [plan]
/// Which planes a block takes.
struct Plan {
  int planes;
  dim3 grid;

  Plan(const Field& field, int sweeps) {
    const Tile tile = tile_of(sweeps);
    const std::int64_t across = strips_over(field.width, span, halo_columns);
    const std::int64_t down = strips_over(field.height, std::int64_t{tile.warps} * tile.rows, sweeps);
    const std::int64_t at_once = std::int64_t{multiprocessors()} * tile.blocks_of_multiprocessor;
    const std::int64_t parts =
        best_parts(across * down, at_once, field.depth, std::int64_t{2} * sweeps, std::int64_t{8} * sweeps);
    planes = static_cast<int>(blocks_over(field.depth, parts));
    grid = dim3(static_cast<unsigned>(across), static_cast<unsigned>(down),
                static_cast<unsigned>(blocks_over(field.depth, planes)));
  }
};
// [plan]

template <int sweeps>
void launch(cudaStream_t stream, const Field& field) {
  const Plan plan(field, sweeps);
  const auto kernel =
      field.width % columns == 0 ? seven_point_blocked<sweeps, true> : seven_point_blocked<sweeps, false>;
  constexpr int bytes = sizeof(Handed<sweeps>);
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<plan.grid, tile_of(sweeps).warps * model::warp_size, bytes, stream>>>(field, plan.planes);
}

auto launch_of(int sweeps) {
  if (sweeps == 1) return launch<1>;
  if (sweeps == 2) return launch<2>;
  if (sweeps == 3) return launch<3>;
  return launch<4>;
}

/// Of a field whose width the lanes divide. At the first and at the last plane no row is asked for.
model::Prediction predict(const Field& field, int sweeps) {
  const Plan plan(field, sweeps);
  const Tile tile = tile_of(sweeps);
  const std::int64_t tile_height = std::int64_t{tile.warps} * tile.rows;
  std::int64_t planes = 0;  // that a column of blocks loads
  std::int64_t turns = 0;
  std::int64_t spared = 0;  // sweeps of turns
  for (std::int64_t first = 0; first < field.depth; first += plan.planes) {
    const std::int64_t last = min(first + plan.planes, field.depth);
    planes += min(last + sweeps, field.depth) - max(first - sweeps, std::int64_t{0});
    const std::int64_t of_part = blocks_over(last - first + std::int64_t{2} * sweeps, 2) * 2;
    turns += of_part;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      const std::int64_t z = first - sweeps - sweep - 1;  // in the first turn
      for (const std::int64_t end : {std::int64_t{0}, field.depth - 1}) {
        if (z <= end && end < z + of_part) ++spared;
      }
    }
  }
  std::int64_t rows = 0;  // of a plane
  for (unsigned block = 0; block < plan.grid.y; ++block) {
    rows += min(field.height - block * (tile_height - std::int64_t{2} * sweeps), tile_height);
  }
  model::Prediction prediction;
  for (unsigned block = 0; block < plan.grid.x; ++block) {
    const std::int64_t left = std::int64_t{block} * (span - 2 * halo_columns);
    const auto lanes = [=](int first, int last) {
      return [=](int lane) {
        const bool active =
            lane >= first && lane <= last && left + std::int64_t{lane} * columns < field.width;
        return active ? model::Element(left / columns + lane) : model::Element();
      };
    };
    prediction.global_load(planes * rows, 4 * columns, lanes(0, 31))
        .global_store(field.depth * field.height, 4 * columns,
                      lanes(block == 0 ? 0 : 1, block == plan.grid.x - 1 ? 31 : 30));
  }
  const std::int64_t warps = std::int64_t{tile.warps} * plan.grid.x * plan.grid.y;
  return prediction.shared_load(2 * warps * (turns * sweeps - spared), 16, own_lane)
      .shared_store(2 * warps * turns * sweeps, 16, own_lane);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("sweeps", {2, 1, 3, 4}).settings()) {
    const int sweeps = setting.number();
    add(space_variant("seven-point-blocked", setting,
                      {.launch = launch_of(sweeps), .sweeps = sweeps, .predict = [=](const Field& field) {
                         return predict(field, sweeps);
                       }}));
  }
}
