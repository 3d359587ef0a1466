// Copies and fills: linear, pitched, in boxes, to and from symbols, in every direction, and what is refused.
#include <algorithm>
#include <numeric>
#include <vector>

#include "expect.hpp"

__device__ int numbers[16];
__constant__ float factors[4];
__managed__ int counter = 5;

__global__ void scale(float* values) { values[threadIdx.x] *= factors[threadIdx.x % 4]; }
__global__ void count() { atomicAdd(&counter, 1); }
__global__ void double_numbers() { numbers[threadIdx.x] *= 2; }

static void linear() {
  std::vector<int> source(1000), result(1000);
  std::iota(source.begin(), source.end(), 7);
  const std::size_t bytes = source.size() * sizeof(int);
  int *first = nullptr, *second = nullptr;
  must(cudaMalloc(&first, bytes));
  must(cudaMalloc(&second, bytes));
  must(cudaMemcpy(first, source.data(), bytes, cudaMemcpyHostToDevice));
  must(cudaMemcpyAsync(second, first, bytes, cudaMemcpyDeviceToDevice));
  must(cudaMemcpy(result.data(), second, bytes, cudaMemcpyDeviceToHost));
  expect(result == source);
  must(cudaMemset(second, 0xff, bytes / 2));
  must(cudaMemcpy(result.data(), second, bytes, cudaMemcpyDefault));
  expect(result[499] == -1 && result[500] == source[500]);
  expect(cudaMemcpy(first, source.data(), bytes, static_cast<cudaMemcpyKind>(9)),
         cudaErrorInvalidMemcpyDirection);
  expect(cudaMemset(source.data(), 0, bytes), cudaErrorInvalidValue);
  expect(cudaGetLastError(), cudaErrorInvalidValue);
  expect(cudaGetLastError(), cudaSuccess);
  expect(cudaFree(first), cudaSuccess);
  expect(cudaFree(second), cudaSuccess);
  expect(cudaFree(nullptr), cudaSuccess);
}

static void pitched() {
  constexpr std::size_t width = 37 * sizeof(float), height = 11;
  float* plane = nullptr;
  std::size_t pitch = 0;
  must(cudaMallocPitch(&plane, &pitch, width, height));
  expect(pitch >= width && pitch % 256 == 0);
  std::vector<float> source(37 * height), result(37 * height, -1.0F);
  std::iota(source.begin(), source.end(), 0.5F);
  must(cudaMemset2D(plane, pitch, 0, width, height));
  must(cudaMemcpy2D(plane, pitch, source.data(), width, width, height - 1, cudaMemcpyHostToDevice));
  must(cudaMemcpy2D(result.data(), width, plane, pitch, width, height, cudaMemcpyDeviceToHost));
  expect(std::equal(result.begin(), result.end() - 37, source.begin()));
  expect(result[37 * (height - 1)] == 0.0F && result.back() == 0.0F);
  expect(cudaMemcpy2D(plane, width - 4, source.data(), width, width, height, cudaMemcpyHostToDevice),
         cudaErrorInvalidPitchValue);
  must(cudaFree(plane));
}

static void boxes() {
  const cudaExtent extent = make_cudaExtent(20, 5, 3);
  cudaPitchedPtr box{};
  must(cudaMalloc3D(&box, extent));
  must(cudaMemset3D(box, 3, extent));
  std::vector<unsigned char> inner(16), all(300);
  std::iota(inner.begin(), inner.end(), 100);
  cudaMemcpy3DParms in{};
  in.srcPtr = make_cudaPitchedPtr(inner.data(), 4, 4, 2);
  in.dstPtr = box;
  in.dstPos = make_cudaPos(8, 1, 1);
  in.extent = make_cudaExtent(4, 2, 2);
  in.kind = cudaMemcpyHostToDevice;
  must(cudaMemcpy3D(&in));
  cudaMemcpy3DParms out{};
  out.srcPtr = box;
  out.dstPtr = make_cudaPitchedPtr(all.data(), 20, 20, 5);
  out.extent = extent;
  out.kind = cudaMemcpyDeviceToHost;
  must(cudaMemcpy3DAsync(&out, nullptr));
  must(cudaDeviceSynchronize());
  const unsigned char* at = all.data();
  for (int z = 0; z < 3; ++z) {
    for (int y = 0; y < 5; ++y, at += 20) {
      for (int x = 0; x < 20; ++x) {
        const bool inside = x >= 8 && x < 12 && y >= 1 && y < 3 && z >= 1;
        const int wanted = inside ? 100 + (z - 1) * 8 + (y - 1) * 4 + x - 8 : 3;
        expect(at[x] == static_cast<unsigned char>(wanted));
      }
    }
  }
  must(cudaFree(box.ptr));
}

static void symbols() {
  const float host_factors[4] = {1, 10, 100, 1000};
  must(cudaMemcpyToSymbol(factors, host_factors, sizeof host_factors));
  must(cudaMemcpyToSymbol(factors, host_factors, sizeof(float), 3 * sizeof(float)));
  float* values = nullptr;
  must(cudaMallocManaged(&values, 8 * sizeof(float)));
  std::fill_n(values, 8, 2.0F);
  scale<<<1, 8>>>(values);
  must(cudaDeviceSynchronize());
  expect(values[1] == 20.0F && values[2] == 200.0F && values[7] == 2.0F);
  must(cudaFree(values));

  int host_numbers[16];
  std::iota(host_numbers, host_numbers + 16, 0);
  must(cudaMemcpyToSymbolAsync(numbers, host_numbers, sizeof host_numbers));
  double_numbers<<<1, 16>>>();
  must(cudaMemcpyFromSymbol(host_numbers, numbers, 4 * sizeof(int), 12 * sizeof(int)));
  expect(host_numbers[0] == 24 && host_numbers[3] == 30 && host_numbers[4] == 4);
  void* address = nullptr;
  std::size_t bytes = 0;
  must(cudaGetSymbolAddress(&address, numbers));
  must(cudaGetSymbolSize(&bytes, numbers));
  expect(bytes == sizeof numbers);
  must(cudaMemset(address, 0, bytes));
  must(cudaMemcpyFromSymbol(host_numbers, numbers, sizeof host_numbers));
  expect(host_numbers[15] == 0);
  expect(cudaMemcpyToSymbol(numbers, host_numbers, sizeof host_numbers, 4), cudaErrorInvalidValue);
  expect(cudaGetSymbolSize(&bytes, host_numbers), cudaErrorInvalidSymbol);
}

static void managed() {
  expect(counter == 5);
  counter = 40;
  count<<<1, 2>>>();
  must(cudaDeviceSynchronize());
  expect(counter == 42);
}

int main() {
  linear();
  pitched();
  boxes();
  symbols();
  managed();
  return verdict();
}
