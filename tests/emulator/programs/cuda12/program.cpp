// A program of CUDA 12, as its compiler would make it, but written by hand: the functions and structures that
// differ from CUDA 13's, and a kernel in an uncompressed fat binary.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// As CUDA 12 declares them.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
struct Dim3 {
  unsigned x, y, z;
};
struct Location {
  int type, id;
};
struct PointerAttributes {
  int type, device;
  void *device_pointer, *host_pointer;
};
void** __cudaRegisterFatBinary(const void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
int cudaDeviceSynchronize();
int cudaFree(void*);
int cudaGetDeviceProperties(void*, int);
int cudaGetDeviceProperties_v2(void*, int);
int cudaGraphAddDependencies(void*, void* const*, void* const*, std::size_t);
int cudaGraphAddDependencies_v2(void*, void* const*, void* const*, const void*, std::size_t);
int cudaGraphAddEmptyNode(void**, void*, void* const*, std::size_t);
int cudaGraphCreate(void**, unsigned);
int cudaGraphGetEdges(void*, void**, void**, std::size_t*);
int cudaLaunchKernel(const void*, Dim3, Dim3, void**, std::size_t, void*);
int cudaMallocManaged(void**, std::size_t, unsigned);
int cudaMemAdvise(const void*, std::size_t, int, int);
int cudaMemPrefetchAsync(const void*, std::size_t, int, void*);
int cudaMemPrefetchAsync_v2(const void*, std::size_t, Location, unsigned, void*);
int cudaPointerGetAttributes(PointerAttributes*, const void*);
int cudaRuntimeGetVersion(int*);
int cudaSetDoubleForDevice(double*);
int cudaStreamBeginCapture(void*, int);
int cudaStreamCreate(void**);
int cudaStreamEndCapture(void*, void**);
int cudaStreamGetCaptureInfo_v2(void*, int*, unsigned long long*, void**, void* const**, std::size_t*);
int cudaThreadSynchronize();
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

constexpr int success = 0, invalid_device = 101, not_supported = 801;

int failures = 0;

void expect(bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  ++failures;
  std::printf("line %d does not hold\n", line);
}

constexpr char ptx[] = R"(
.version 7.8
.target sm_75
.address_size 64
.visible .entry twice(.param .u64 data) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r2, [%rd2];
  shl.b32 %r3, %r2, 1;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";

struct FatBinary {
  std::uint32_t magic = 0xBA55ED50;
  std::uint16_t version = 1, header_bytes = 16;
  std::uint64_t bytes = 64 + sizeof text;
  std::uint16_t kind = 1, unknown_0 = 0x101;  // PTX
  std::uint32_t entry_header_bytes = 64;
  std::uint64_t payload_bytes = sizeof text;
  std::uint32_t compressed_bytes = 0, unknown_1[2] = {0, 0}, architecture = 75, unknown_2[2] = {0, 0};
  std::uint64_t flags = 0, unknown_3 = 0, uncompressed_bytes = 0;
  char text[sizeof ptx] = {};
};

struct Wrapper {
  std::uint32_t magic = 0x466243b1, version = 1;
  const void* fat_binary = nullptr;
  const void* unused = nullptr;
};

void stub() {}

/// Offsets in CUDA 12's cudaDeviceProp, whose last word is at 1028; in CUDA 11's it is at 720.
void properties() {
  std::array<char, 1032> made{};
  const auto integer = [&](std::size_t offset) {
    int value = 0;
    std::memcpy(&value, made.data() + offset, sizeof value);
    return value;
  };
  expect(cudaGetDeviceProperties_v2(made.data(), 1) == invalid_device);
  expect(cudaGetDeviceProperties_v2(made.data(), 0) == success);
  expect(integer(360) == 9 && integer(388) == 132 && integer(616) == 60 << 20);
  expect(integer(772) == 1);
  made.fill(7);
  expect(cudaGetDeviceProperties(made.data(), 0) == success);
  expect(integer(360) == 9 && integer(720) == 1024);
  expect(made[720 + 8] == 7);
}

void memory(const int* data) {
  PointerAttributes attributes[2];
  std::memset(attributes, 7, sizeof attributes);
  expect(cudaPointerGetAttributes(attributes, data) == success);
  expect(attributes[0].type == 3 && attributes[0].host_pointer == data && attributes[1].type == 0x07070707);
  expect(cudaMemPrefetchAsync(data, 128, 0, nullptr) == success);
  expect(cudaMemPrefetchAsync(data, 128, 5, nullptr) == invalid_device);
  expect(cudaMemPrefetchAsync_v2(data, 128, {1, 0}, 0, nullptr) == success);
  expect(cudaMemAdvise(data, 128, 1, 0) == success);
}

void graphs() {
  void *graph = nullptr, *first = nullptr, *second = nullptr, *from[2] = {}, *to[2] = {};
  expect(cudaGraphCreate(&graph, 0) == success);
  expect(cudaGraphAddEmptyNode(&first, graph, nullptr, 0) == success);
  expect(cudaGraphAddEmptyNode(&second, graph, nullptr, 0) == success);
  expect(cudaGraphAddDependencies(graph, &first, &second, 1) == success);
  expect(cudaGraphAddDependencies_v2(graph, &first, &second, nullptr, 1) != success);  // it is there
  std::size_t count = 2;
  expect(cudaGraphGetEdges(graph, from, to, &count) == success);
  expect(count == 1 && from[0] == first && to[0] == second);

  void *stream = nullptr, *captured = nullptr, *same = nullptr;
  int status = -1;
  unsigned long long id = 0;
  expect(cudaStreamCreate(&stream) == success);
  expect(cudaStreamBeginCapture(stream, 2) == success);
  expect(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &same, nullptr, &count) == success);
  expect(status == 1 && count == 0);
  expect(cudaStreamEndCapture(stream, &captured) == success && captured == same);
}

}  // namespace

int main() {
  FatBinary binary;
  std::memcpy(binary.text, ptx, sizeof ptx);
  const Wrapper wrapper{.fat_binary = &binary};
  void** const module = __cudaRegisterFatBinary(&wrapper);
  const auto* const function = reinterpret_cast<const char*>(&stub);
  char name[] = "twice";
  __cudaRegisterFunction(module, function, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(module);

  int version = 0;
  expect(cudaRuntimeGetVersion(&version) == success && version / 1000 == 12);
  int* data = nullptr;
  expect(cudaMallocManaged(reinterpret_cast<void**>(&data), 128, 1) == success);
  for (int i = 0; i < 32; ++i) data[i] = i;
  void* arguments[] = {static_cast<void*>(&data)};
  expect(cudaLaunchKernel(function, {1, 1, 1}, {32, 1, 1}, arguments, 0, nullptr) == success);
  expect(cudaThreadSynchronize() == success && cudaDeviceSynchronize() == success);
  expect(data[31] == 62 && data[1] == 2);
  properties();
  memory(data);
  graphs();
  double unused = 0;
  expect(cudaSetDoubleForDevice(&unused) == not_supported);
  expect(cudaFree(data) == success);
  __cudaUnregisterFatBinary(module);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
