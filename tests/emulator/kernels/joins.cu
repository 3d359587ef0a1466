// Kernels whose neighbouring accesses to shared memory ptxas joins, or leaves as they are: one warp each, so
// that a test can tell from the counts. `n` keeps the compiler from knowing what the lanes exchange.

#include <cuda_fp16.h>
#include <mma.h>

/// Four neighbouring words are stored and loaded: 16 bytes each.
extern "C" __global__ void four_words(float* out, int n) {
  __shared__ float tile[128];
  const unsigned lane = threadIdx.x;
  for (unsigned i = 0; i < 4; ++i) tile[lane * 4 + i] = out[lane + 32 * i];
  __syncthreads();
  const unsigned other = (lane + n) % 32 * 4;
  out[lane] = tile[other] + tile[other + 1] * tile[other + 2] - tile[other + 3];
}

/// Two neighbouring words at even places: 8 bytes.
extern "C" __global__ void two_words(float* out, int n) {
  __shared__ float tile[64];
  const unsigned lane = threadIdx.x;
  tile[lane + lane] = out[lane];
  tile[lane + lane + 1] = out[lane + 32];
  __syncthreads();
  const unsigned other = (lane + n) % 32 * 2;
  out[lane] = tile[other] - tile[other + 1];
}

/// Four neighbouring words whose place is not known to be a multiple of anything: 4 bytes each.
extern "C" __global__ void unaligned_words(float* out, int n) {
  __shared__ float tile[256];
  const unsigned lane = threadIdx.x;
  for (unsigned i = 0; i < 4; ++i) tile[lane * 5 + i] = out[lane + 32 * i];
  __syncthreads();
  const unsigned other = (lane + n) % 32 * 5;
  out[lane] = tile[other] + tile[other + 1] * tile[other + 2] - tile[other + 3];
}

/// Eight neighbouring words: twice 16 bytes.
extern "C" __global__ void eight_words(float* out, int n) {
  __shared__ float tile[256];
  const unsigned lane = threadIdx.x;
  for (unsigned i = 0; i < 8; ++i) tile[lane + 32 * i] = out[lane + 32 * i];
  __syncthreads();
  float sum = 0;
  for (unsigned i = 0; i < 8; ++i) sum = sum * 2 + tile[(lane + n) % 32 * 8 + i];
  out[lane] = sum;
}

/// A row of a tile, read by a loop that the compiler unrolls in its own way.
extern "C" __global__ void row_sums(float* out, int n) {
  __shared__ float tile[32 * 32];
  const unsigned lane = threadIdx.x;
  for (unsigned i = 0; i < 32; ++i) tile[i * 32 + lane] = out[i * 32 + lane];
  __syncthreads();
  float sum = 0;
  for (unsigned i = 0; i < 32; ++i) sum += tile[(lane + n) % 32 * 32 + i];
  out[lane] = sum;
}

/// A tile product with a row of results per thread: 64 x 64 results, 8 at a time, by 16 x 16 threads.
extern "C" __global__ void __launch_bounds__(256)
    tile_product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[8][64];
  __shared__ float bs[8][64];
  const unsigned row = threadIdx.x / 16 * 4;
  const unsigned column = threadIdx.x % 16 * 4;
  float sums[4][4] = {};
  for (int k = 0; k < n; k += 8) {
    for (unsigned i = threadIdx.x; i < 512; i += 256) {
      as[i / 64][i % 64] = a[static_cast<size_t>(k) * 64 + i];
      bs[i / 64][i % 64] = b[static_cast<size_t>(k) * 64 + i];
    }
    __syncthreads();
    for (unsigned i = 0; i < 8; ++i) {
      for (unsigned y = 0; y < 4; ++y) {
        for (unsigned x = 0; x < 4; ++x) sums[y][x] += as[i][row + y] * bs[i][column + x];
      }
    }
    __syncthreads();
  }
  for (unsigned y = 0; y < 4; ++y) {
    for (unsigned x = 0; x < 4; ++x) c[(row + y) * 64 + column + x] = sums[y][x];
  }
}

/// A column of results per thread: `a` is walked along its rows, which a loop of eight turns does.
extern "C" __global__ void __launch_bounds__(512)
    column_product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[64 * 8];
  __shared__ float bs[8 * 64];
  const unsigned row = threadIdx.x / 64;
  const unsigned column = threadIdx.x % 64;
  float sums[8] = {};
  for (int k = 0; k < n; k += 8) {
    as[threadIdx.x] = a[static_cast<size_t>(k) * 64 + threadIdx.x];
    bs[threadIdx.x] = b[static_cast<size_t>(k) * 64 + threadIdx.x];
    __syncthreads();
    for (unsigned i = 0; i < 8; ++i) {
      const float factor = bs[i * 64 + column];
      for (unsigned y = 0; y < 8; ++y) sums[y] += as[(row * 8 + y) * 8 + i] * factor;
    }
    __syncthreads();
  }
  for (unsigned y = 0; y < 8; ++y) c[(row * 8 + y) * 64 + column] = sums[y];
}

/// A stencil: three neighbours, one word apart.
extern "C" __global__ void stencil(float* out, int n) {
  __shared__ float line[34];
  const unsigned lane = threadIdx.x;
  line[lane + 1] = out[lane];
  if (lane < 2) line[lane == 0 ? 0 : 33] = 0;
  __syncthreads();
  out[lane] = line[lane] - 2 * line[lane + 1] + line[lane + 2] * static_cast<float>(n);
}

/// A reduction in shared memory: each turn one load beside one's own.
extern "C" __global__ void reduction(float* out, int /*n*/) {
  __shared__ float values[32];
  const unsigned lane = threadIdx.x;
  values[lane] = out[lane];
  __syncthreads();
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    if (lane < distance) values[lane] += values[lane + distance];
    __syncthreads();
  }
  if (lane == 0) out[0] = values[0];
}

/// The second half of the block does nothing, but its warps come by: the load and the store have guards.
extern "C" __global__ void half_the_block(float* out, int /*n*/) {
  __shared__ float tile[64];
  const unsigned lane = threadIdx.x;
  tile[lane] = out[lane];
  __syncthreads();
  if (lane < 32) tile[lane] += tile[lane + 32];
  __syncthreads();
  out[lane] = tile[lane];
}

/// So does it in a loop of many turns: in the last one's copy, the branch around the load goes back to where
/// the loop starts.
extern "C" __global__ void half_the_block_often(float* out, int /*n*/) {
  __shared__ float tile[64];
  const unsigned lane = threadIdx.x;
  float sum = 0;
  for (int turn = 0; turn < 135; ++turn) {
    tile[lane] = out[lane] + static_cast<float>(turn);
    __syncthreads();
    float next = 0;
    if (lane >= 32) next = tile[lane - 32];
    sum += next;
    __syncthreads();
    out[lane] = sum;
  }
}

/// Two buffers that change places: the tile that is loaded is not the one that is read.
extern "C" __global__ void two_buffers(float* out, int n) {
  __shared__ float tiles[2][128];
  const unsigned lane = threadIdx.x;
  float sum = 0;
  for (int turn = 0; turn < n; ++turn) {
    float* const tile = tiles[turn % 2];
    for (unsigned i = 0; i < 4; ++i) tile[lane + 32 * i] = out[lane + 32 * i];
    __syncthreads();
    for (unsigned i = 0; i < 4; ++i) sum = sum * 3 + tile[(lane + n) % 32 * 4 + i];
  }
  out[lane] = sum;
}

/// Four neighbouring short numbers.
extern "C" __global__ void four_shorts(short* out, int n) {
  __shared__ short tile[128];
  const unsigned lane = threadIdx.x;
  for (unsigned i = 0; i < 4; ++i) tile[lane * 4 + i] = out[lane + 32 * i];
  __syncthreads();
  const unsigned other = (lane + n) % 32 * 4;
  out[lane] = static_cast<short>(tile[other] + tile[other + 1] * tile[other + 2] - tile[other + 3]);
}

/// Three of four neighbouring words.
extern "C" __global__ void three_words(float* out, int n) {
  __shared__ float tile[128];
  const unsigned lane = threadIdx.x;
  for (unsigned i = 0; i < 3; ++i) tile[lane * 4 + i] = out[lane + 32 * i];
  __syncthreads();
  const unsigned other = (lane + n) % 32 * 4;
  out[lane] = tile[other] + tile[other + 1] * tile[other + 2];
}

/// Two pairs of neighbouring double numbers.
extern "C" __global__ void four_doubles(double* out, int n) {
  __shared__ double tile[128];
  const unsigned lane = threadIdx.x;
  for (unsigned i = 0; i < 4; ++i) tile[lane * 4 + i] = out[lane + 32 * i];
  __syncthreads();
  const unsigned other = (lane + n) % 32 * 4;
  out[lane] = tile[other] + tile[other + 1] * tile[other + 2] - tile[other + 3];
}

__constant__ float factors[32];

/// Constants have a cache of their own.
extern "C" __global__ void constants(float* out, int n) {
  const unsigned lane = threadIdx.x;
  out[lane] += factors[(lane + n) % 32];
}

/// cp.async: ptxas puts three loads before it that no lane executes, but that count as executed.
extern "C" __global__ void asynchronous_copy(const float4* in, float* out, int n) {
  __shared__ float4 tile[32];
  const unsigned lane = threadIdx.x;
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(&tile[lane]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(in + lane) : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[lane] = tile[(lane + n) % 32].x;
}

/// Counters in shared and global memory: adding 1 or a lane's number to one place, and floats.
extern "C" __global__ void counters(unsigned* out, float* sums) {
  __shared__ unsigned count;
  __shared__ float sum[4];
  const unsigned lane = threadIdx.x;
  if (lane == 0) count = 0;
  if (lane < 4) sum[lane] = 0;
  __syncthreads();
  atomicAdd(&count, lane);
  atomicAdd(&sum[lane % 4], 1.0F);
  atomicAdd(out, 1U);
  __syncthreads();
  if (lane == 0) out[1] = count;
  if (lane < 4) sums[lane] = sum[lane];
}

/// Four sums one behind the other: the lanes of the warp are counted once.
extern "C" __global__ void several_counters(int* out, int /*n*/) {
  for (int i = 0; i < 4; ++i) atomicSub(out + i, 3);
}

/// 64 bits, and a number that the compiler knows.
extern "C" __global__ void wide_counter(unsigned long long* out, int /*n*/) { atomicAdd(out, 5ULL); }

/// Where all lanes add only the memory knows.
extern "C" __global__ void counter_somewhere(int* out, int n) { atomicAdd(out + out[n], -1); }

/// Where there is a fence, atomics whose results nobody uses stay what they are.
extern "C" __global__ void fenced(int* out, int n) {
  atomicAdd(out + threadIdx.x, n);
  __threadfence();
  out[threadIdx.x + 32] = n;
}

/// Where there is none, they are reductions.
extern "C" __global__ void unfenced(int* out, int n) {
  atomicAdd(out + threadIdx.x, n);
  out[threadIdx.x + 32] = n;
}

/// Looks until there is something.
extern "C" __global__ void waits(int* flag, int n) {
  const volatile int* const asked = flag;
  while (asked[n] == 0) {
  }
  flag[threadIdx.x] = n;
}

/// Who comes first writes first.
extern "C" __global__ void appends(int* out, int n) {
  if (out[threadIdx.x + 32] == 1) out[8 + atomicAdd(out, 1) % 8] = n;
}

/// A loop until nobody has come between.
extern "C" __global__ void greatest(int* out, int n) {
  int seen = *out;
  for (int before = seen + 1; before != seen;) {
    before = seen;
    seen = atomicCAS(out, before, max(before, n + static_cast<int>(threadIdx.x)));
  }
}

/// What an atomic gives back is only kept.
extern "C" __global__ void takes_numbers(int* out, int n) { out[threadIdx.x] = atomicAdd(out + 32, n); }

/// ldmatrix in a loop, and wmma's loads and stores, each of which ptxas carries out in a way of its own.
extern "C" __global__ void matrices(const float4* in, float* out, int n) {
  __shared__ __align__(128) float4 tile[64];
  const unsigned lane = threadIdx.x;
  for (unsigned i = 0; i < 2; ++i) tile[lane + 32 * i] = in[lane];
  __syncthreads();
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(&tile[lane]));
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < n % 3; ++i) {
    unsigned a = 0;  // NOLINT(misc-const-correctness): ldmatrix writes it
    unsigned b = 0;  // NOLINT(misc-const-correctness)
    asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b)
                 : "r"(place + 16 * i));
    sum += a ^ b;
  }
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(a, reinterpret_cast<const half*>(tile), 16);
  wmma::load_matrix_sync(b, reinterpret_cast<const half*>(in), 16);
  wmma::fill_fragment(c, static_cast<float>(sum));
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}
