#include "problem.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "check/checks.hpp"
#include "check/racecheck.hpp"
#include "device/attribute.hpp"
#include "device/device.hpp"
#include "product.hpp"
#include "step/shapes.hpp"
#include "step/text.hpp"

namespace weft {
namespace {

/// Extents that break kernels: none, one, primes, one off a warp and off the tiles of this chapter, tall,
/// flat, deep, and more than 65,535 tiles either way. For all variants of a step but the first, fewer depths.
List<Shape> checked_shapes(bool first) {
  List<Shape> shapes{{0, 0, 0},   {0, 5, 7},    {5, 0, 7},    {5, 7, 0},    {1, 1, 1},    {1, 33, 1},
                     {33, 1, 1},  {1, 1, 33},   {1, 5, 129},  {129, 1, 5},  {5, 129, 1},  {2, 3, 5},
                     {7, 13, 11}, {31, 32, 33}, {32, 33, 31}, {33, 31, 32}, {37, 41, 43}, {64, 1, 64}};
  for (const std::int64_t off : {-1, 0, 1}) {
    const Numbers depths = first ? Numbers{7, 8, 9, 16, 17, 32, 33} : Numbers{9, 32};
    for (const std::int64_t depth : depths) shapes.push_back({128 + off, 128 - off, depth});
  }
  shapes.append({{132, 68, 20},
                 {68, 132, 36},
                 {96, 64, 64},
                 {256, 128, 8},
                 {4, 8, 4},
                 {128, 256, 64},
                 {255, 257, 31},
                 {256, 256, 32},
                 {257, 255, 33}});
  shapes.append({{4099, 3, 5}, {3, 4099, 5}, {3, 5, 4099}, {1031, 33, 17}, {33, 1031, 17}});
  shapes.append({{384, 512, 1000}, {509, 1021, 263}, {65'536 * 128 + 1, 2, 1}, {2, 65'536 * 128 + 1, 1}});
  return shapes;
}

/// The same for steps that compute products of less depth in another way: one off a tile, a depth that ends
/// within a step, several tiles.
List<Shape> deep_shapes(std::int64_t depth) {
  return {{1, 4, depth},          {5, 8, depth + 4},       {4, 260, depth},
          {33, 36, depth},        {127, 128, depth + 32},  {128, 128, 2 * depth},
          {129, 132, depth + 36}, {257, 260, depth + 124}, {384, 512, 4 * depth - 4}};
}

/// A and C have more than 2^31 elements each.
List<Shape> large_products() { return {{1'048'583, 2'053, 2'051}}; }

/// Squares; and for steps that stand up to the libraries a larger one, an odd one, a flat, a tall and a deep
/// one.
List<Shape> measured_shapes(bool everywhere) {
  List<Shape> shapes{{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192}};
  if (everywhere) {
    shapes.append({{16'384, 16'384, 16'384},
                   {8191, 4099, 2053},
                   {64, 16'384, 4096},
                   {16'384, 64, 4096},
                   {512, 512, 65'536}});
  }
  return shapes;
}

/// What the checks with special values need of a step.
struct Registered {
  std::string name;
  Launch launch;
  Workspace workspace;
  bool first;  ///< of the variants of its step
  int least_depth;
};

std::vector<Registered>& registered() {
  static std::vector<Registered> all;
  return all;
}

/// Values that BLAS treats in a way of its own: 0 and 1, NaN and infinity, each with and without space
/// between the rows of the matrices.
std::vector<Operands> special_values() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {{.alpha = 2, .beta = -1},
          {.alpha = -0.5F, .beta = 1, .gap = 4},
          {.alpha = 1, .beta = 0.25F, .gap = 1},
          {.gap = 3, .in_c = nan},
          {.alpha = 0, .in_a = nan},
          {.alpha = 0, .beta = 2, .gap = 2, .in_b = infinity},
          {.alpha = 0, .beta = 1, .in_a = nan, .in_c = nan},
          {.in_a = nan},
          {.beta = 1, .gap = 5, .in_b = nan},
          {.in_a = infinity},
          {.alpha = -1, .gap = 4, .in_b = -infinity},
          {.beta = 1, .in_c = nan},
          {.beta = -2, .in_c = infinity},
          {.alpha = nan},
          {.alpha = infinity, .beta = 1},
          {.beta = nan}};
}

/// Single elements, no products at all, one off a tile, whole tiles; what a step's first variant has passed,
/// the others need not show in full.
List<Shape> special_shapes(const Registered& step) {
  if (!step.first) return {{132, 136, 20}};
  List<Shape> shapes{{1, 1, 1}, {5, 3, 0}, {33, 35, 37}, {128, 128, 16}, {132, 136, 20}};
  if (step.least_depth > 0) shapes.push_back({33, 36, step.least_depth});
  return shapes;
}

void check_special_values() {
  for (const Registered& step : registered()) {
    for (const Shape& shape : special_shapes(step)) {
      for (const Operands& operands : special_values()) {
        Product product(shape, operands, step.launch, step.workspace);
        const Stream stream;
        std::optional<Mismatch> mismatch;
        try {
          mismatch = first_mismatch(product, {2, 4}, stream.get(), [&] {
            cuda_check(cudaGetLastError());
            stream.synchronize();
          });
        } catch (const Unavailable&) {
          return;  // the checks of shapes say so
        }
        CHECK_MESSAGE(!mismatch, step.name, " ", to_string(shape), " alpha ", operands.alpha, " beta ",
                      operands.beta, " gap ", operands.gap, ": ", mismatch ? mismatch->describe() : "");
      }
    }
  }
}

TEST_SUITE("device") {
  TEST_CASE("every step treats 0, NaN, infinity and distant rows as BLAS does") {
    if (!is_beyond_racecheck()) check_special_values();
  }

  TEST_CASE("every step treats 0, NaN, infinity and distant rows as BLAS does (beyond racecheck)") {
    if (is_beyond_racecheck()) check_special_values();
  }
}

}  // namespace

Axes tile_axis(int rows, int columns, int depth) {
  return Axes().with_tuples("tile", {{rows, columns, depth}});
}

void require_shared(int bytes) {
  const int most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (bytes > most) {
    throw Unavailable("these tiles need " + std::to_string(bytes) +
                      " bytes of shared memory in a block, and this card has " + std::to_string(most));
  }
}

Variant product_variant(const char* name, const Setting& setting, Launch launch, Predict predict,
                        const ProductOptions& options) {
  const bool first = setting.is_default();
  if (launch != nullptr)
    registered().push_back({name, launch, options.workspace, first, options.least_depth});
  Variant made(name, setting);
  made.kind = options.kind;
  made.curve = options.curve;
  made.polls = options.polls;
  made.checked = checked_shapes(first);
  if (options.least_depth > 0) made.checked.append(deep_shapes(options.least_depth));
  made.measured = options.measured.empty() ? measured_shapes(options.everywhere) : options.measured;
  made.make = [=](const Shape& shape) {
    return make_owned<Product>(shape, Operands{.gap = options.gap}, launch, options.workspace);
  };
  made.rated_by = Rating::operations;
  made.amounts = [](const Shape& s) {
    return Amounts{.bytes = std::int64_t{sizeof(float)} * (s[0] * s[2] + s[2] * s[1] + s[0] * s[1]),
                   .operations = 2 * s[0] * s[1] * s[2]};
  };
  if (first) made.checked_large = large_products();  // the other variants compute addresses like it
  if (predict != nullptr) {
    made.counted = {options.counted};
    made.predict = [=](const Shape& s) { return predict(s[0], s[1], s[2]); };
  }
  return made;
}

void add_product(const char* name, const Axes& axes, Launch launch, Predict predict,
                 const ProductOptions& options) {
  for (const Setting& setting : axes.settings()) {
    add(product_variant(name, setting, launch, predict, options));
  }
}

}  // namespace weft
