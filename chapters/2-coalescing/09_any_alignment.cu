// Vectors that begin anywhere: single elements up to the first whole float4, and again after the last.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 4;  // elements of a float4

// [kernel]
__global__ void add_any_alignment(const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ c, std::int64_t count, int head) {
  const std::int64_t whole = (count - head) / width;
  const std::int64_t index = thread_index();
  if (index < whole) {
    const float4 x = reinterpret_cast<const float4*>(a + head)[index];
    const float4 y = reinterpret_cast<const float4*>(b + head)[index];
    reinterpret_cast<float4*>(c + head)[index] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
  } else if (index < count - whole * (width - 1)) {  // first the head, then the tail
    const std::int64_t single = index - whole;
    const std::int64_t place = single < head ? single : single + whole * width;
    c[place] = a[place] + b[place];
  }
}

__global__ void add_single_elements(const float* __restrict__ a, const float* __restrict__ b,
                                    float* __restrict__ c, std::int64_t count) {
  const std::int64_t index = thread_index();
  if (index < count) c[index] = a[index] + b[index];
}
// [kernel]

// [launch]
/// Elements by which an address lies beyond a multiple of 16 bytes.
int phase(const float* address) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) / sizeof(float) % width);
}

void launch(cudaStream_t stream, Vectors v) {
  if (phase(v.a) != phase(v.c) || phase(v.b) != phase(v.c)) {  // no head makes all three whole
    add_single_elements<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count);
    return;
  }
  const int head = static_cast<int>(min(std::int64_t{(width - phase(v.c)) % width}, v.count));
  const std::int64_t threads = v.count - (v.count - head) / width * (width - 1);
  add_any_alignment<<<grid_for(threads, block), block, 0, stream>>>(v.a, v.b, v.c, v.count, head);
}
// [launch]

// [predict]
/// Each vector begins `shift` elements behind a multiple of 256 bytes. Some warps have lanes without an
/// element, so the prediction goes through all warps.
model::Prediction predict(std::int64_t count, const Shift& shift) {
  const auto within = [&](std::int64_t vector, std::int64_t place) { return shift[vector] + place; };
  const bool alike = shift[0] % width == shift[2] % width && shift[1] % width == shift[2] % width;
  const std::int64_t head = alike ? min((width - shift[2] % width) % width, count) : 0;
  const std::int64_t whole = alike ? (count - head) / width : 0;
  const std::int64_t threads = count - whole * (width - 1);
  model::Prediction prediction;
  for (std::int64_t first = 0; first < threads; first += model::warp_size) {
    const auto four_of = [&](std::int64_t vector) {
      return [=](int lane) -> model::Element {
        if (first + lane >= whole) return {};
        return within(vector, head) / width + first + lane;
      };
    };
    const auto one_of = [&](std::int64_t vector) {
      return [=](int lane) -> model::Element {
        const std::int64_t single = first + lane - whole;
        if (single < 0 || first + lane >= threads) return {};
        return within(vector, single < head ? single : single + whole * width);
      };
    };
    prediction.global_load(1, 16, four_of(0)).global_load(1, 16, four_of(1)).global_store(1, 16, four_of(2));
    prediction.global_load(1, 4, one_of(0)).global_load(1, 4, one_of(1)).global_store(1, 4, one_of(2));
  }
  return prediction;
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  const auto selection = [](const Setting& at) { return Selection{.shift = at.values()}; };
  const Axes axes = Axes(block).with_tuples(
      "shift", {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {1, 2, 3}});
  add_vectors("any-alignment", axes, launch, predict,
              {.selection = selection, .curve = true, .measured = {timed_size}, .counted = {counted_size}});
}
// [step]

TEST_CASE("brought to 16 bytes a warp begins inside a sector, and touches one more than it needs") {
  constexpr std::int64_t count = 1 << 20;
  const auto sectors = [](const Shift& shift) {
    return predict(count, shift)[model::Metric::global_store_sectors];
  };
  const std::uint64_t warps = count / width / model::warp_size;
  CHECK(sectors({0, 0, 0}) == 16 * warps);
  for (const std::int64_t shift : {1, 2, 3}) {
    CHECK(sectors({shift, shift, shift}) > 17 * (warps - 1));
    CHECK(sectors({shift, shift, shift}) <= 17 * warps + 2);
  }
}

TEST_CASE("vectors that no head brings together are added by single elements, each as it lies") {
  constexpr std::int64_t count = 1 << 20;
  const std::uint64_t warps = count / model::warp_size;
  const model::Metrics counted = predict(count, {1, 0, 0});
  CHECK(counted[model::Metric::global_load_requests] == 2 * warps);
  CHECK(counted[model::Metric::global_load_sectors] == (5 + 4) * warps);
  CHECK(counted[model::Metric::global_store_sectors] == 4 * warps);
}
