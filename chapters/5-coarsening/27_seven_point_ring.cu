// A block marches through slabs of whole rows. A slab is one piece of memory, and a unit of the hardware
// copies it into a ring in shared memory. The blocks march side by side, and only a few planes far: what
// they have read, the L2 is asked to keep for their neighbours.
#include "kernel/evict_last.hpp"
#include "kernel/tma.hpp"  // sm_90
#include "sweep.hpp"

namespace {
constexpr int columns = 4;  // of a thread
constexpr int width = 512;  // of a field that is swept by slabs
constexpr int rows = 4;     // of a slab
constexpr int threads_of_row = width / columns;
constexpr int marching_threads = rows * threads_of_row;
constexpr int marching_warps = marching_threads / model::warp_size;
constexpr dim3 ring_block{marching_threads + model::warp_size};

/// What the L2 is asked to do with the lines of the copies.
enum Hint : std::uint8_t { none, loads_last };

// [part]
/// What a block makes before it takes its next part: slabs of some planes, from the rows (y, first) on.
struct Part {
  int y, first, last;
};

/// All parts, numbered along a plane first: so all blocks march through the same few planes.
struct Parts {
  int planes;  ///< of a part
  int height, depth, down, count;

  Parts(const Field& field, int planes)
      : planes(planes),
        height(static_cast<int>(field.height)),
        depth(static_cast<int>(field.depth)),
        down(static_cast<int>(blocks_over(height, rows))),
        count(down * static_cast<int>(blocks_over(depth, planes))) {}

  __device__ Part at(int number) const {
    const int first = number / down * planes;
    return {number % down * rows, first, min(first + planes, depth)};
  }
};
// [part]

// [ring]
/// A slab of one plane, and the rows above and below it.
using Slab = float[rows + 2][width];

template <int stages>
struct Ring {
  Slab slabs[stages];
  TransferBarrier arrived[stages];  ///< when the slab is there
  TransferBarrier left[stages];     ///< when all warps have read it
};

/// Of a ring, for one of those who go round in it: the stage that is next, and the parity of its phase.
template <int stages>
struct Place {
  int stage = 0;
  unsigned parity = 0;

  __device__ void advance() {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }
};

/// Copies one piece of memory, as long as `arrival` expects.
template <Hint hint>
// NOLINTNEXTLINE(misc-const-correctness): the hardware writes there
__device__ void load_bytes(float* shared, const float* from, unsigned bytes, TransferBarrier& arrival) {
#if __CUDA_ARCH__ >= 900
  if constexpr (hint == loads_last) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
        " [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(shared)),
        "l"(from), "r"(bytes), "r"(shared_address(&arrival)), "l"(evict_last())
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(shared)),
        "l"(from), "r"(bytes), "r"(shared_address(&arrival))
        : "memory");
  }
#endif
}

/// What the thread does that brings slabs: a copy for each, as soon as its stage is free.
template <Hint hint, int stages>
__device__ void bring(Ring<stages>& ring, const float* in, const Parts& parts) {
  Place<stages> place;
  int turn = 0;
  for (int number = static_cast<int>(blockIdx.x); number < parts.count;
       number += static_cast<int>(gridDim.x)) {
    const Part part = parts.at(number);
    const int top = max(part.y - 1, 0);
    const int bottom = min(part.y + rows + 1, parts.height);
    const unsigned bytes = (bottom - top) * sizeof(float[width]);
    const int end = min(part.last + 1, parts.depth);
    for (int z = max(part.first - 1, 0); z < end; ++z, ++turn) {
      if (turn >= stages) wait(ring.left[place.stage], place.parity ^ 1);
      arrive_expecting(ring.arrived[place.stage], bytes);
      load_bytes<hint>(ring.slabs[place.stage][top - part.y + 1],
                       in + (std::int64_t{z} * parts.height + top) * width, bytes, ring.arrived[place.stage]);
      place.advance();
    }
  }
}
// [ring]

// [kernel]
template <int stages, Hint hint>
__global__ __launch_bounds__(ring_block.x, 1) void seven_point_ring(const float* __restrict__ in,
                                                                    float* __restrict__ out,
                                                                    const Parts parts) {
  extern __shared__ float4 shared[];
  auto& ring = *reinterpret_cast<Ring<stages>*>(shared);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      initialize(ring.arrived[stage], 1);
      initialize(ring.left[stage], marching_warps);
    }
    publish_barriers();
  }
  __syncthreads();
  if (thread >= marching_threads) {
    if (thread == marching_threads) bring<hint>(ring, in, parts);
    return;
  }

  const int lane = thread % model::warp_size;
  const int row = thread / threads_of_row;
  const int x = thread % threads_of_row * columns;
  Place<stages> place;
  const auto next = [&] {  // this thread's elements of the slab that comes next
    wait(ring.arrived[place.stage], place.parity);
    const auto found = load<columns>(&ring.slabs[place.stage][row + 1][x]);
    place.advance();
    return found;
  };
  const auto leave = [&](int stage) {
    __syncwarp();  // so the arrival comes after the reads of all lanes
    if (lane == 0) arrive(ring.left[stage]);
  };
  for (int number = static_cast<int>(blockIdx.x); number < parts.count;
       number += static_cast<int>(gridDim.x)) {
    const Part part = parts.at(number);
    const int y = part.y + row;
    Floats<columns> before{};
    if (part.first > 0) {
      const int stage = place.stage;
      before = next();
      leave(stage);
    }
    int stage = place.stage;  // of the plane that is being made
    Floats<columns> middle = next();
    float* to = out + (std::int64_t{part.first} * parts.height + y) * width + x;
#pragma unroll 1
    for (int z = part.first; z < part.last; ++z) {
      const int stage_behind = place.stage;
      Floats<columns> behind{};
      if (z + 1 < parts.depth) behind = next();
      const float* const here = &ring.slabs[stage][row + 1][x];
      const auto north = load<columns>(here - width);
      const auto south = load<columns>(here + width);
      float west = __shfl_up_sync(~0U, middle.at[columns - 1], 1);
      float east = __shfl_down_sync(~0U, middle.at[0], 1);
      if (lane == 0) west = here[-1];  // at an edge of the field another row's, and of no use
      if (lane == model::warp_size - 1) east = here[columns];
      leave(stage);
      Floats<columns> made = middle;
      if (y > 0 && y < parts.height - 1 && z > 0 && z < parts.depth - 1) {
#pragma unroll
        for (int j = 0; j < columns; ++j) {
          const float mean = mean_of(middle.at[j], j > 0 ? middle.at[j - 1] : west,
                                     j + 1 < columns ? middle.at[j + 1] : east, north.at[j], south.at[j],
                                     before.at[j], behind.at[j]);
          if (x + j > 0 && x + j < width - 1) made.at[j] = mean;
        }
      }
      if (y < parts.height) store(to, made);
      to += std::int64_t{parts.height} * width;
      before = middle;
      middle = behind;
      stage = stage_behind;
    }
    if (part.last < parts.depth) leave(stage);  // the plane behind was only read
  }
}
// [kernel]

/// Makes the elements of a field of another width, one with each thread.
__global__ void seven_point_alone(const Field field) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= field.depth * field.height * field.width) return;
  const std::int64_t x = i % field.width;
  const std::int64_t y = i / field.width % field.height;
  const std::int64_t area = field.height * field.width;
  const std::int64_t z = i / area;
  const float* const from = field.in + i;
  const bool stays =
      x == 0 || x == field.width - 1 || y == 0 || y == field.height - 1 || z == 0 || z == field.depth - 1;
  field.out[i] = stays ? *from
                       : mean_of(*from, from[-1], from[1], from[-field.width], from[field.width], from[-area],
                                 from[area]);
}

// [launch]
template <int stages, Hint hint>
void launch(cudaStream_t stream, const Field& field, int planes) {
  if (field.width != width) {  // then slabs are not whole rows
    constexpr int threads = 256;
    const auto blocks = blocks_over(field.depth * field.height * field.width, threads);
    seven_point_alone<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(field);
    return;
  }
  const Parts parts(field, planes);
  constexpr auto bytes = sizeof(Ring<stages>);
  cuda_check(cudaFuncSetAttribute(seven_point_ring<stages, hint>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)));
  const auto blocks = static_cast<unsigned>(min(parts.count, multiprocessors()));
  seven_point_ring<stages, hint><<<blocks, ring_block, bytes, stream>>>(field.in, field.out, parts);
}
// [launch]

/// Of a field that is swept by slabs. The copies are no loads of a warp.
model::Prediction predict(const Field& field, int planes) {
  const Parts parts(field, planes);
  std::int64_t brought = 0;  // planes of a slab
  for (std::int64_t first = 0; first < field.depth; first += planes) {
    brought += min(first + planes + 1, field.depth) - max(first - 1, std::int64_t{0});
  }
  const std::int64_t made = parts.down * field.depth * marching_warps;
  const auto last_lane = [](int lane) { return lane == 31 ? model::Element(0) : model::Element(); };
  return model::Prediction{}
      .shared_load(parts.down * brought * marching_warps + 2 * made, 16, own_lane)
      .shared_load(made, 4, first_lane)
      .shared_load(made, 4, last_lane)
      .global_store(threads_of_row / model::warp_size * field.height * field.depth, 4 * columns, own_lane);
}

template <Hint hint>
auto launch_of(int stages) {
  switch (stages) {
    case 4:
      return launch<4, hint>;
    case 6:
      return launch<6, hint>;
    case 7:
      return launch<7, hint>;
    case 8:
      return launch<8, hint>;
    default:
      return launch<12, hint>;
  }
}
}  // namespace

void weft::register_steps() {
  const Axes axes =
      Axes().with("hint", {loads_last, none}).with("planes", {8, 4, 16, 64}).with("stages", {7, 4, 6, 8, 12});
  for (const Setting& setting : axes.settings()) {
    const int hint = setting.number("hint");
    const int planes = setting.number("planes");
    const int stages = setting.number("stages");
    if (planes != 8 && stages != 7) continue;
    const auto launches = hint == none ? launch_of<none>(stages) : launch_of<loads_last>(stages);
    Variant made = space_variant(
        "seven-point-ring", setting,
        {.launch = [=](cudaStream_t stream, const Field& field) { launches(stream, field, planes); },
         .predict = [=](const Field& field) { return predict(field, planes); }});
    for (const Shape& shape : {Shape{1, 1, width}, {3, 4, width}, {2, 9, width}, {21, 14, width}}) {
      made.checked.push_back(shape);
    }
    made.counted = {{32, 40, width}};
    add(std::move(made));
  }
}
