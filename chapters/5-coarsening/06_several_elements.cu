// A thread adds several elements, and asks for all of them first or for one after the other. Its elements lie
// a block apart, side by side, or side by side in vectors of four.
#include "model/refuse.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 adding_block{256};

/// Where the elements of a thread lie.
enum class Lie : std::uint8_t {
  apart,   ///< a block's threads side by side, once for each element of a thread
  beside,  ///< those of a thread side by side
  vectors  ///< those of a thread side by side, and it asks for four at once
};

__device__ float sum(float a, float b) { return a + b; }
__device__ float4 sum(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

/// The place of a thread's element among its block's.
template <bool beside, int elements>
__device__ std::int64_t place_of(int i) {
  if constexpr (beside) return std::int64_t{threadIdx.x} * elements + i;
  return std::int64_t{adding_block.x} * i + threadIdx.x;
}

// [in-turn]
/// A thread stores a sum before it asks for the next two elements.
template <typename Element, bool beside, int elements>
__device__ void add_in_turn(const Element* __restrict__ a, const Element* __restrict__ b,
                            Element* __restrict__ c, std::int64_t first, std::int64_t count) {
#pragma unroll 1
  for (int i = 0; i < elements; ++i) {
    const std::int64_t index = first + place_of<beside, elements>(i);
    if (index < count) c[index] = sum(a[index], b[index]);
  }
}
// [in-turn]

// [kernel]
/// @tparam Element a float, or four
/// @tparam ahead whether a thread asks for all of its elements before it adds the first
template <typename Element, bool beside, int elements, bool ahead>
__global__ __launch_bounds__(adding_block.x,
                             1) void add_several(const Element* __restrict__ a, const Element* __restrict__ b,
                                                 Element* __restrict__ c, std::int64_t count) {
  const std::int64_t first = std::int64_t{blockIdx.x} * adding_block.x * elements;
  if constexpr (ahead) {
    if (first + std::int64_t{adding_block.x} * elements <= count) {
      Element of_a[elements];
      Element of_b[elements];
#pragma unroll
      for (int i = 0; i < elements; ++i) {
        of_a[i] = a[first + place_of<beside, elements>(i)];
        of_b[i] = b[first + place_of<beside, elements>(i)];
      }
#pragma unroll
      for (int i = 0; i < elements; ++i) c[first + place_of<beside, elements>(i)] = sum(of_a[i], of_b[i]);
      return;
    }
  }
  add_in_turn<Element, beside, elements>(a, b, c, first, count);
}
// [kernel]

/// Three vectors on the device, of so many elements: whole vectors of four where four are loaded at once.
struct Vectors {
  const float* a;
  const float* b;
  float* c;
  std::int64_t count;
};

/// A way to add with several elements of a thread.
struct Way {
  Lie lie;
  int elements;
  bool ahead;

  explicit Way(const Setting& setting)
      : lie(static_cast<Lie>(setting.number("lie"))),
        elements(setting.number("elements")),
        ahead(setting.number("ahead") != 0) {}

  /// Without another way's kernel: one element lies in one way, and is loaded in one; vectors have four.
  [[nodiscard]] bool exists() const {
    if (elements == 1) return lie == Lie::apart && ahead;
    return lie == Lie::vectors ? elements >= 4 && ahead : ahead || lie == Lie::apart;
  }

  [[nodiscard]] std::int64_t blocks(std::int64_t count) const {
    return blocks_over(count, std::int64_t{adding_block.x} * elements);
  }
};

template <int elements>
void launch_with(cudaStream_t stream, const Vectors& v, const Way& way) {
  const auto blocks = static_cast<unsigned>(way.blocks(v.count));
  if (way.lie == Lie::vectors) {
    if constexpr (elements >= 4) {
      add_several<float4, false, elements / 4, true><<<blocks, adding_block, 0, stream>>>(
          reinterpret_cast<const float4*>(v.a), reinterpret_cast<const float4*>(v.b),
          reinterpret_cast<float4*>(v.c), v.count / 4);
    }
    return;
  }
  const auto kernel = !way.ahead              ? add_several<float, false, elements, false>
                      : way.lie == Lie::apart ? add_several<float, false, elements, true>
                                              : add_several<float, true, elements, true>;
  kernel<<<blocks, adding_block, 0, stream>>>(v.a, v.b, v.c, v.count);
}

void launch(cudaStream_t stream, const Vectors& v, const Way& way) {
  if (way.lie == Lie::vectors && v.count % 4 != 0) refuse("vectors of four need a multiple of four");
  if (way.elements == 1) return launch_with<1>(stream, v, way);
  if (way.elements == 2) return launch_with<2>(stream, v, way);
  if (way.elements == 4) return launch_with<4>(stream, v, way);
  if (way.elements == 8) return launch_with<8>(stream, v, way);
  launch_with<16>(stream, v, way);
}

/// A number below 2^20, so that a sum of two is exact.
float value_of(std::uint64_t seed, std::int64_t index) {
  return static_cast<float>(static_cast<std::uint64_t>(index) * (2 * seed + 5) % (1U << 20U));
}

Owned<Problem> make(std::int64_t count, const Way& way) {
  constexpr std::uint64_t other = 100;  // what the seed of b has more than that of a
  auto problem = make_owned<ArrayProblem>();
  auto& a = problem->input<float>("a", {count}, value_of);
  auto& b = problem->input<float>(
      "b", {count}, [](std::uint64_t seed, std::int64_t index) { return value_of(seed + other, index); });
  auto& c = problem->output<float>("c", {count}, [](std::uint64_t seed, std::int64_t index) {
    return value_of(seed, index) + value_of(seed + other, index);
  });
  problem->launches([=, &a, &b, &c](cudaStream_t stream) {
    if (count > 0) launch(stream, {a.data(), b.data(), c.data(), count}, way);
  });
  return problem;
}

/// At a number of elements that all of a block's threads have work for.
model::Prediction predict(std::int64_t count, const Way& way) {
  const int width = way.lie == Lie::vectors ? 16 : 4;
  const std::int64_t between = way.lie == Lie::beside ? way.elements : 1;
  const auto own = [=](int lane) { return lane * between; };
  const std::int64_t warps = count / model::warp_size * 4 / width;
  return model::Prediction{}.global_load(2 * warps, width, own).global_store(warps, width, own);
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("elements", {4, 1, 2, 8, 16}).with("lie", {0, 1, 2}).with("ahead", {1, 0});
  for (const Setting& setting : axes.settings()) {
    const Way way(setting);
    if (!way.exists()) continue;
    Variant made("several-elements", setting);
    made.checked = {{0}, {4}, {4092}, {4096}, {5000}, {12'344}};
    made.measured = {{1 << 26}, {1 << 20}};
    made.counted = {{1 << 20}};
    made.make = [=](const Shape& shape) { return make(shape[0], way); };
    made.amounts = [](const Shape& shape) { return Amounts{.bytes = 12 * shape[0], .elements = shape[0]}; };
    made.predict = [=](const Shape& shape) { return predict(shape[0], way); };
    add(std::move(made));
  }
}
