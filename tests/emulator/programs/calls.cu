// Device functions: by name, with structures, recursively, by address, virtually; the heap of kernels.

#include "check.hpp"

struct Record {
  int words[5];
  double real;
  char letters[3];
};

__host__ __device__ __noinline__ Record changed(Record record, int by) {
  for (int& word : record.words) word += by;
  record.real *= 2;
  record.letters[1] = static_cast<char>('a' + by % 26);
  return record;
}

__host__ __device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ __noinline__ bool is_odd(unsigned n);
__host__ __device__ __noinline__ bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__host__ __device__ __noinline__ bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

/// Quicksort on an array of the thread's own.
__host__ __device__ __noinline__ void sort(int* first, int* last) {
  if (last - first < 2) return;
  const int pivot = first[(last - first) / 2];
  int* low = first;
  int* high = last - 1;
  while (low <= high) {
    while (*low < pivot) ++low;
    while (*high > pivot) --high;
    if (low > high) break;
    const int kept = *low;
    *low++ = *high;
    *high-- = kept;
  }
  sort(first, high + 1);
  sort(low, last);
}

using Function = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float squared(float x) { return x * x; }
__device__ float third(float x) { return x / 3; }
__device__ Function table[] = {twice, squared, third};
__device__ Function chosen = squared;

struct Shape {
  Shape() = default;
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;
  Shape(Shape&&) = delete;
  Shape& operator=(Shape&&) = delete;
  __device__ virtual ~Shape() = default;
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3 * radius * radius; }
};

/// A function with shared memory of its own.
__device__ __noinline__ int neighbour(int value) {
  __shared__ int values[64];
  values[threadIdx.x] = value;
  __syncthreads();
  return values[(threadIdx.x + 1) % 64];
}

/// What host and device must compute alike.
__host__ __device__ int by_name(int i) {
  Record record{{i, 2 * i, 3 * i, 4 * i, 5 * i}, i * 0.25, {'x', 'y', 'z'}};
  record = changed(record, i);
  int numbers[9];
  for (int k = 0; k < 9; ++k) numbers[k] = (i * 7 + k * 5) % 11;
  sort(numbers, numbers + 9);
  int sum = record.words[0] + record.words[4] + static_cast<int>(record.real) + record.letters[1];
  for (const int number : numbers) sum = sum * 3 + number;
  return sum + fibonacci(i % 11) + (is_even(static_cast<unsigned>(i)) ? 1000 : 0);
}

__global__ void call_by_name(int* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = by_name(i);
}

__global__ void call_by_address(float* out, const Function* from_host) {
  const int i = static_cast<int>(threadIdx.x);
  float value = table[i % 3](static_cast<float>(i));
  if (i % 2 == 0) value += chosen(2);
  out[i] = value + (*from_host)(10);
}

__global__ void call_virtually(float* out) {
  const auto i = threadIdx.x;
  const Shape* const shape =
      i % 3 == 0 ? static_cast<Shape*>(new Square(static_cast<float>(i))) : new Circle(static_cast<float>(i));
  out[i] = shape->area();
  delete shape;
}

__global__ void call_with_shared_memory(int* out) {
  __shared__ int other[64];
  other[threadIdx.x] = 7;
  out[threadIdx.x] = neighbour(static_cast<int>(threadIdx.x) * 10) + other[threadIdx.x];
}

/// A list whose nodes one kernel makes, and another one reads and frees.
struct Node {
  int value;
  Node* next;
};
__device__ Node* lists[64];

__global__ void make_lists() {
  for (unsigned i = 0; i < threadIdx.x; ++i) {
    auto* const node = static_cast<Node*>(malloc(sizeof(Node)));
    node->value = static_cast<int>(i);
    node->next = lists[threadIdx.x];
    lists[threadIdx.x] = node;
  }
}

__global__ void sum_lists(int* out) {
  int sum = 0;
  for (Node* node = lists[threadIdx.x]; node != nullptr;) {
    sum += node->value;
    Node* const next = node->next;
    free(node);
    node = next;
  }
  out[threadIdx.x] = sum;
}

__global__ void ask_too_much(bool* refused) { *refused = malloc(std::size_t{1} << 40) == nullptr; }

/// Recursion by an address in local memory, and exits from the depth.
struct Walk;
using Step = void (*)(Walk&, int);
struct Walk {
  Step step;
  int visits;
  int* out;
};
__device__ __noinline__ void descend(Walk& walk, int depth) {
  ++walk.visits;
  if (depth == 0 && threadIdx.x == 5) {
    walk.out[threadIdx.x] = -1;
    asm volatile("exit;");
  }
  if (depth > 0) walk.step(walk, depth - 1);
  if (depth > 0 && threadIdx.x % 2 == 0) walk.step(walk, depth - 1);
}
__global__ void walk_down(int* out) {
  Walk walk{descend, 0, out};
  descend(walk, 4);
  out[threadIdx.x] = walk.visits;
}

int main() {
  constexpr int threads = 64;
  const Shared<int> words(threads);
  const Shared<float> reals(threads);

  call_by_name<<<1, threads>>>(words.get());
  finish();
  for (int i = 0; i < threads; ++i) expect(words[i] == by_name(i), "by name");

  const Shared<Function> from_host(1);
  check(cudaMemcpyFromSymbol(static_cast<void*>(from_host.get()), chosen, sizeof(Function)));
  call_by_address<<<1, threads>>>(reals.get(), from_host.get());
  finish();
  for (int i = 0; i < threads; ++i) {
    const auto x = static_cast<float>(i);
    const float picked = i % 3 == 0 ? 2 * x : i % 3 == 1 ? x * x : x / 3;
    expect(reals[i] == picked + (i % 2 == 0 ? 4.0F : 0.0F) + 100.0F, "by address");
  }

  call_virtually<<<1, threads>>>(reals.get());
  finish();
  for (int i = 0; i < threads; ++i) {
    const auto x = static_cast<float>(i);
    expect(reals[i] == (i % 3 == 0 ? x * x : 3 * x * x), "virtually");
  }

  call_with_shared_memory<<<1, threads>>>(words.get());
  finish();
  for (int i = 0; i < threads; ++i) expect(words[i] == (i + 1) % 64 * 10 + 7, "with shared memory");

  make_lists<<<1, threads>>>();
  sum_lists<<<1, threads>>>(words.get());
  finish();
  for (int i = 0; i < threads; ++i) expect(words[i] == i * (i - 1) / 2, "lists on the heap");

  const Shared<bool> refused(1);
  ask_too_much<<<1, 1>>>(refused.get());
  finish();
  expect(refused[0], "malloc of more than there is gives a null pointer");

  walk_down<<<1, threads>>>(words.get());
  finish();
  for (int i = 0; i < threads; ++i)
    expect(words[i] == (i == 5 ? -1 : i % 2 == 0 ? 31 : 5), "recursion by address");
  std::puts("calls: as expected");
}
