// A block marches through slabs of whole rows, which a unit of the hardware copies into a ring in shared
// memory. The blocks march side by side, and only a few planes far.
#include "kernel/tma.hpp"
#include "sweep.hpp"

namespace {
constexpr int columns = 4;  // of a thread
constexpr int threads_of_row = 128;
constexpr int span = threads_of_row * columns;  // columns of a slab
constexpr int rows = 4;                         // of a slab
constexpr int margin = columns;                 // columns beside the slab, on either side
constexpr int marching_threads = threads_of_row * rows;
constexpr int marching_warps = marching_threads / model::warp_size;
constexpr dim3 ring_block{marching_threads + model::warp_size};
constexpr int most_stages = 16;  // of a ring

/// A slab of one plane, with the elements around it.
using Slab = float[rows + 2][span + 2 * margin];

// [part]
/// What a block makes before it takes its next part: the slabs of some planes, from (first, y, x) on.
struct Part {
  int x, y, first, last;
};

/// All parts, numbered along a row, then along a plane: so all blocks march through the same few planes.
struct Parts {
  int planes;  ///< of a part
  int across, down, count;

  Parts(const Field& field, int planes)
      : planes(planes),
        across(static_cast<int>(blocks_over(field.width, span))),
        down(static_cast<int>(blocks_over(field.height, rows))),
        count(static_cast<int>(std::int64_t{across} * down * blocks_over(field.depth, planes))) {}

  __device__ Part at(int number, const Field& field) const {
    const int row = number / across;
    const int first = row / down * planes;
    return {number % across * span, row % down * rows, first,
            min(first + planes, static_cast<int>(field.depth))};
  }
};
// [part]

// [ring]
/// Slabs on their way, and those that are still needed.
struct Ring {
  Slab* slabs;
  TransferBarrier* arrived;
  TransferBarrier* left;
  int stages;
};

/// The stage that is next, and the parity of its phase.
struct Place {
  int stage = 0;
  unsigned parity = 0;

  __device__ void advance(int stages) {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }
};

// NOLINTNEXTLINE(misc-const-correctness): the hardware writes there
__device__ void load_bytes(float* shared, const float* from, unsigned bytes, TransferBarrier& arrival) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(shared)),
      "l"(from), "r"(bytes), "r"(shared_address(&arrival))
      : "memory");
#endif
}

/// Brings a slab: each lane a row, or all lanes together if rows are not aligned.
template <bool whole>
__device__ void bring(Slab& slab, const Field& field, const Part& part, int z, TransferBarrier& arrival) {
  const int lane = static_cast<int>(threadIdx.x) % model::warp_size;
  const int top = max(part.y - 1, 0);
  const int bottom = min(part.y + rows + 1, static_cast<int>(field.height));
  const int from = max(part.x - margin, 0);
  const int to = min(part.x + span + margin, static_cast<int>(field.width));
  const auto row_of = [&](int y) { return field.in + (z * field.height + y) * field.width + from; };
  const auto place_of = [&](int y) { return &slab[y - part.y + 1][from - part.x + margin]; };
  if constexpr (whole) {
    const unsigned bytes = static_cast<unsigned>(to - from) * sizeof(float);
    if (lane == 0) arrive_expecting(arrival, static_cast<unsigned>(bottom - top) * bytes);
    __syncwarp();
    if (top + lane < bottom) load_bytes(place_of(top + lane), row_of(top + lane), bytes, arrival);
  } else {
    for (int y = top; y < bottom; ++y) {
      for (int i = lane; i < to - from; i += model::warp_size) place_of(y)[i] = row_of(y)[i];
    }
    __syncwarp();
    if (lane == 0) arrive(arrival);
  }
}

/// What the warp that brings slabs does.
template <bool whole>
__device__ void bring_all(const Ring& ring, const Field& field, const Parts& parts) {
  Place place;
  int turn = 0;
  for (int number = static_cast<int>(blockIdx.x); number < parts.count;
       number += static_cast<int>(gridDim.x)) {
    const Part part = parts.at(number, field);
    const int end = min(part.last + 1, static_cast<int>(field.depth));
    for (int z = max(part.first - 1, 0); z < end; ++z, ++turn) {
      if (turn >= ring.stages) wait(ring.left[place.stage], place.parity ^ 1);
      bring<whole>(ring.slabs[place.stage], field, part, z, ring.arrived[place.stage]);
      place.advance(ring.stages);
    }
  }
}
// [ring]

// [kernel]
/// @tparam whole whether rows are aligned to what a thread makes
template <bool whole>
__global__ __launch_bounds__(ring_block.x, 1) void seven_point_ring(const Field field, const Parts parts,
                                                                    int stages) {
  extern __shared__ float4 shared[];
  __shared__ TransferBarrier arrived[most_stages];
  __shared__ TransferBarrier left[most_stages];
  const Ring ring{reinterpret_cast<Slab*>(shared), arrived, left, stages};
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      initialize(arrived[stage], 1);
      initialize(left[stage], marching_warps);
    }
    publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x >= marching_threads) return bring_all<whole>(ring, field, parts);

  const int lane = static_cast<int>(threadIdx.x) % model::warp_size;
  const int row = static_cast<int>(threadIdx.x) / threads_of_row;
  const int column = static_cast<int>(threadIdx.x) % threads_of_row * columns;
  const auto at = [&](int stage) { return &ring.slabs[stage][row + 1][column + margin]; };
  Place place;
  const auto next = [&] {  // this thread's elements of the slab that comes next
    wait(arrived[place.stage], place.parity);
    const auto found = load<columns>(at(place.stage));
    place.advance(stages);
    return found;
  };
  const auto leave = [&](int stage) {
    __syncwarp();  // so the arrival comes after the reads of all lanes
    if (lane == 0) arrive(left[stage]);
  };
  for (int number = static_cast<int>(blockIdx.x); number < parts.count;
       number += static_cast<int>(gridDim.x)) {
    const Part part = parts.at(number, field);
    const int x = part.x + column;
    const int y = part.y + row;
    Floats<columns> before{};
    if (part.first > 0) {
      const int stage = place.stage;
      before = next();
      leave(stage);
    }
    int stage = place.stage;  // of the plane that is being made
    Floats<columns> middle = next();
    float* to = field.out + (part.first * field.height + y) * field.width + x;
#pragma unroll 1
    for (int z = part.first; z < part.last; ++z) {
      const int stage_behind = place.stage;
      Floats<columns> behind{};
      if (z + 1 < field.depth) behind = next();
      const float* const here = at(stage);
      constexpr int pitch = span + 2 * margin;
      const auto north = load<columns>(here - pitch);
      const auto south = load<columns>(here + pitch);
      float west = __shfl_up_sync(~0U, middle.at[columns - 1], 1);
      float east = __shfl_down_sync(~0U, middle.at[0], 1);
      if (lane == 0) west = here[-1];
      if (lane == model::warp_size - 1) east = here[columns];
      leave(stage);
      Floats<columns> made{};
      const bool row_stays = y == 0 || y == field.height - 1 || z == 0 || z == field.depth - 1;
#pragma unroll
      for (int j = 0; j < columns; ++j) {
        const float mean =
            mean_of(middle.at[j], j > 0 ? middle.at[j - 1] : west, j + 1 < columns ? middle.at[j + 1] : east,
                    north.at[j], south.at[j], before.at[j], behind.at[j]);
        made.at[j] = row_stays || x + j == 0 || x + j == field.width - 1 ? middle.at[j] : mean;
      }
      if (y < field.height) {
        if constexpr (whole) {
          if (x < field.width) store(to, made);
        } else {
#pragma unroll
          for (int j = 0; j < columns; ++j)
            if (x + j < field.width) to[j] = made.at[j];
        }
      }
      to += field.height * field.width;
      before = middle;
      middle = behind;
      stage = stage_behind;
    }
    if (part.last < field.depth) leave(stage);  // the plane behind was only read
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Field& field, int planes, int stages) {
  const Parts parts(field, planes);
  const auto kernel = field.width % columns == 0 ? seven_point_ring<true> : seven_point_ring<false>;
  const auto bytes = stages * static_cast<int>(sizeof(Slab));
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const auto blocks = static_cast<unsigned>(min(parts.count, multiprocessors()));
  kernel<<<blocks, ring_block, static_cast<std::size_t>(bytes), stream>>>(field, parts, stages);
}
// [launch]

/// Of a field whose width the threads' columns divide. The copies are no loads of a warp.
model::Prediction predict(const Field& field, int planes) {
  const Parts parts(field, planes);
  std::int64_t brought = 0;  // planes of a slab
  for (std::int64_t first = 0; first < field.depth; first += planes) {
    brought += min(first + planes + 1, field.depth) - max(first - 1, std::int64_t{0});
  }
  const std::int64_t slabs = std::int64_t{parts.across} * parts.down;
  const std::int64_t made = slabs * field.depth * marching_warps;
  const auto last_lane = [](int lane) { return lane == 31 ? model::Element(0) : model::Element(); };
  return model::Prediction{}
      .shared_load(slabs * brought * marching_warps + 2 * made, 16, own_lane)
      .shared_load(made, 4, first_lane)
      .shared_load(made, 4, last_lane)
      .global_store(field.width / (std::int64_t{model::warp_size} * columns) * field.height * field.depth,
                    4 * columns, own_lane);
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("planes", {8, 16, 32, 64, 512}).with("stages", {6, 16});
  for (const Setting& setting : axes.settings()) {
    const int planes = setting.number("planes");
    const int stages = setting.number("stages");
    add(space_variant(
        "seven-point-ring", setting,
        {.launch = [=](cudaStream_t stream, const Field& field) { launch(stream, field, planes, stages); },
         .predict = [=](const Field& field) { return predict(field, planes); }}));
  }
}
