// C = A B for square matrices of floats, N x N, two ways: `sgemm tiled|registers N` launches once and checks
// rows of C.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void check(cudaError_t result, int line) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s\n", __FILE__, line, cudaGetErrorString(result));
  std::exit(EXIT_FAILURE);
}

class DeviceMatrix {
 public:
  explicit DeviceMatrix(std::size_t elements) : bytes_(elements * sizeof(float)) {
    check(cudaMalloc(&data_, bytes_), __LINE__);
  }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;
  ~DeviceMatrix() { cudaFree(data_); }

  void fill(const std::vector<float>& from) const {
    check(cudaMemcpy(data_, from.data(), bytes_, cudaMemcpyHostToDevice), __LINE__);
  }
  void read(std::vector<float>& to) const {
    check(cudaMemcpy(to.data(), data_, bytes_, cudaMemcpyDeviceToHost), __LINE__);
  }
  [[nodiscard]] float* data() const { return data_; }

 private:
  std::size_t bytes_;
  float* data_ = nullptr;
};

constexpr int tile = 32;

/// One element of C per thread. N is a multiple of 32.
__global__ void sgemm_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                            int n) {
  __shared__ float tile_a[tile][tile];
  __shared__ float tile_b[tile][tile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = static_cast<int>(blockIdx.y) * tile + y;
  const int column = static_cast<int>(blockIdx.x) * tile + x;
  float sum = 0;
  for (int first = 0; first < n; first += tile) {
    tile_a[y][x] = a[row * n + first + x];
    tile_b[y][x] = b[(first + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

constexpr int side = 64;  // of a block's part of C
constexpr int depth = 8;  // of the parts of A and B that are in shared memory
constexpr int own = 4;    // side of a thread's part of C

/// 4 x 4 elements of C per thread. N is a multiple of 64.
__global__ void sgemm_registers(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int n) {
  __shared__ float part_a[depth][side];
  __shared__ float part_b[depth][side];
  const int thread = threadIdx.x;
  const int x = thread % (side / own) * own;
  const int y = thread / (side / own) * own;
  const int first_row = static_cast<int>(blockIdx.y) * side;
  const int first_column = static_cast<int>(blockIdx.x) * side;
  float sums[own][own] = {};
  for (int first = 0; first < n; first += depth) {
    for (int i = thread; i < depth * side; i += blockDim.x) {
      part_a[i % depth][i / depth] = a[(first_row + i / depth) * n + first + i % depth];
      part_b[i / side][i % side] = b[(first + i / side) * n + first_column + i % side];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      float from_a[own];
      float from_b[own];
#pragma unroll
      for (int i = 0; i < own; ++i) {
        from_a[i] = part_a[k][y + i];
        from_b[i] = part_b[k][x + i];
      }
#pragma unroll
      for (int i = 0; i < own; ++i) {
#pragma unroll
        for (int j = 0; j < own; ++j) sums[i][j] += from_a[i] * from_b[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < own; ++i) {
#pragma unroll
    for (int j = 0; j < own; ++j) c[(first_row + y + i) * n + first_column + x + j] = sums[i][j];
  }
}

float element(int matrix, std::size_t index) {
  return static_cast<float>((index * 2654435761U + static_cast<std::size_t>(matrix) * 40503U >> 7) % 1024) /
             512 -
         1;
}

/// Rows of C against sums in double; the bound is that of a sum of N products, each rounded to a float.
bool rows_are_right(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c,
                    int n) {
  const double bound = n * 2.0 * std::ldexp(1.0, -24) * n;
  const auto at = [n](int row, int column) { return static_cast<std::size_t>(row) * n + column; };
  for (int row = 0; row < n; row += n / 8 + 1) {
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += double{a[at(row, k)]} * b[at(k, column)];
      if (!(std::abs(sum - c[at(row, column)]) <= bound)) {
        std::fprintf(stderr, "C[%d][%d] is %g, not %g\n", row, column, c[at(row, column)], sum);
        return false;
      }
    }
  }
  return true;
}

}  // namespace

int main(int argc, const char* const* argv) {
  const bool tiled = argc == 3 && std::strcmp(argv[1], "tiled") == 0;
  const int n = argc == 3 ? static_cast<int>(std::strtol(argv[2], nullptr, 10)) : 0;
  if (n <= 0 || n % side != 0 || (!tiled && std::strcmp(argv[1], "registers") != 0)) {
    std::fprintf(stderr, "usage: sgemm tiled|registers N, where N is a multiple of %d\n", side);
    return 2;
  }
  const std::size_t elements = static_cast<std::size_t>(n) * n;
  std::vector<float> a(elements);
  std::vector<float> b(elements);
  std::vector<float> c(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    a[i] = element(0, i);
    b[i] = element(1, i);
  }
  const DeviceMatrix in_a(elements);
  const DeviceMatrix in_b(elements);
  const DeviceMatrix out(elements);
  in_a.fill(a);
  in_b.fill(b);
  const auto blocks = static_cast<unsigned>(n);
  if (tiled) {
    sgemm_tiled<<<dim3(blocks / tile, blocks / tile), dim3(tile, tile)>>>(in_a.data(), in_b.data(),
                                                                          out.data(), n);
  } else {
    sgemm_registers<<<dim3(blocks / side, blocks / side), side / own * side / own>>>(in_a.data(), in_b.data(),
                                                                                     out.data(), n);
  }
  check(cudaGetLastError(), __LINE__);
  out.read(c);
  return rows_are_right(a, b, c, n) ? EXIT_SUCCESS : EXIT_FAILURE;
}
