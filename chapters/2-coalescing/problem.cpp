#include "problem.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "binary/fat_binary.hpp"
#include "binary/ptx.hpp"
#include "check/arrays.hpp"
#include "step/shapes.hpp"
#include "step/step.hpp"

namespace weft {
namespace {

/// Sizes that break kernels: none, one, whole warps and blocks and vectors, and one off them; primes.
List<Shape> checked_shapes() {
  List<Shape> shapes;
  for (const std::int64_t count :
       {0,   1,    2,    3,    4,    5,    7,    8,    9,     15,     16,     17,       31,  32,
        33,  63,   64,   65,   127,  128,  129,  255,  256,   257,    511,    512,      513, 769,
        997, 1023, 1024, 1025, 1031, 2047, 2049, 4099, 10007, 65'536, 65'537, 1'000'003}) {
    shapes.push_back({count});
  }
  return shapes;
}

/// Enough to find a wrong edge, for variants of a kernel that is checked on all sizes elsewhere.
List<Shape> few_checked_shapes() { return {{0}, {1}, {31}, {33}, {257}, {1031}, {10'007}}; }

/// More than 2^32 bytes in each vector.
List<Shape> large_vectors() { return {{(std::int64_t{1} << 30) + 11}}; }

/// What the seed of b has more than that of a.
constexpr std::uint64_t salt_of_b = 1000;

void elements_of_b(std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) {
  hashed_floats(seed + salt_of_b, first, last, values);
}

float element_of_b(std::uint64_t seed, std::int64_t index) { return hashed_float(seed + salt_of_b, index); }

/// Vectors to be added, or one to be copied. Those that begin beyond an aligned address have elements in
/// front that nobody may touch.
class AddVectors final : public ArrayProblem {
 public:
  /// @param count elements that are selected from
  /// @throws OutOfDeviceMemory if there is no room for the vectors
  AddVectors(Shape shape, std::int64_t count, Setting setting, Selection selection, const Launch& launch,
             Work work, const Surroundings& surroundings)
      : inside_(surroundings, setting),
        shape_(std::move(shape)),
        setting_(std::move(setting)),
        count_(count),
        selection_(std::move(selection)),
        work_(work),
        launch_(launch),
        a_(input<float>("a", {length(0)}, hashed_floats)),
        b_(input<float>("b", {work == Work::add ? length(1) : 0}, elements_of_b)),
        c_(output<float>("c", {selection_.packed ? blocks_over(count_, selection_.stride) : length(2)},
                         [this](std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) {
                           sums(seed, first - selection_.shift[2], last - selection_.shift[2], values);
                         })) {}

  /// No elements launch nothing: CUDA refuses an empty grid.
  void launch(cudaStream_t stream) override {
    if (count_ == 0) return;
    const Shift& shift = selection_.shift;
    launch_(shape_, setting_, stream,
            {a_.data() + shift[0], b_.data() + shift[1], c_.data() + shift[2], count_});
  }

 private:
  [[nodiscard]] std::int64_t length(std::size_t vector) const {
    return selection_.shift.at(vector) + selection_.first + count_;
  }

  /// What belongs at the elements [first, last) of c.
  void sums(std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) const {
    if (selection_.packed || selection_.partner != nullptr) {
      for (std::int64_t i = first; i < last; ++i) values[i - first] = sum(seed, i);
      return;
    }
    while (first < last && first < selection_.first) {
      *values++ = weft::poison<float>();
      ++first;
    }
    hashed_floats(seed, first + selection_.shift[0], last + selection_.shift[0], values);
    if (work_ == Work::add) {
      std::array<float, 1024> others{};
      for (std::int64_t next = first; next < last; next += std::ssize(others)) {
        const std::int64_t behind = std::min(last, next + std::ssize(others));
        elements_of_b(seed, next + selection_.shift[1], behind + selection_.shift[1], others.data());
        for (std::int64_t i = next; i < behind; ++i) {
          values[i - first] += others[static_cast<std::size_t>(i - next)];
        }
      }
    }
    if (selection_.stride == 1) return;
    std::int64_t beyond = (first - selection_.first) % selection_.stride;  // the last one that is selected
    for (std::int64_t i = first; i < last; ++i) {
      if (beyond != 0) values[i - first] = weft::poison<float>();
      if (++beyond == selection_.stride) beyond = 0;
    }
  }

  /// What belongs at an element of c. A single addition is rounded in one way, on the host as on the device,
  /// so that every bit counts. What is not selected keeps its poison.
  [[nodiscard]] float sum(std::uint64_t seed, std::int64_t index) const {
    if (selection_.packed) index *= selection_.stride;
    const std::int64_t place = index - selection_.first;
    if (place < 0 || place % selection_.stride != 0) return weft::poison<float>();
    const float a = hashed_float(seed, index + selection_.shift[0]);
    if (work_ == Work::copy) return a;
    const std::int64_t partner = selection_.partner != nullptr ? selection_.partner(index, count_) : index;
    return a + element_of_b(seed, partner + selection_.shift[1]);
  }

  Inside inside_;
  Shape shape_;
  Setting setting_;
  std::int64_t count_;
  Selection selection_;
  Work work_;
  Launch launch_;
  GuardedBuffer<float>& a_;
  GuardedBuffer<float>& b_;
  GuardedBuffer<float>& c_;
};

/// Vectors of small integers, kept in words of four bytes; what is left of the last word stays as it was.
template <typename T>
class AddNarrow final : public ArrayProblem {
 public:
  /// @throws OutOfDeviceMemory if there is no room for the vectors
  AddNarrow(Shape shape, Setting setting, const LaunchNarrow<T>& launch)
      : shape_(std::move(shape)),
        setting_(std::move(setting)),
        count_(elements(shape_)),
        launch_(launch),
        a_(input<std::uint32_t>("a (words)", {blocks_over(count_, per_word)}, word)),
        b_(input<std::uint32_t>("b (words)", {a_.size()}, word_of_b)),
        c_(output<std::uint32_t>("c (words)", {a_.size()}, [this](std::uint64_t seed, std::int64_t index) {
          return sum(seed, index);
        })) {}

  void launch(cudaStream_t stream) override {
    if (count_ > 0) launch_(shape_, setting_, stream, items(a_), items(b_), items(c_), count_);
  }

 private:
  static constexpr int per_word = sizeof(std::uint32_t) / sizeof(T);
  using Items = std::array<T, per_word>;
  using Buffer = GuardedBuffer<std::uint32_t>;

  static T* items(Buffer& buffer) { return reinterpret_cast<T*>(buffer.data()); }
  static std::uint32_t word(std::uint64_t seed, std::int64_t index) {
    return std::bit_cast<std::uint32_t>(hashed_float(seed, index));
  }
  static std::uint32_t word_of_b(std::uint64_t seed, std::int64_t index) {
    return word(seed + salt_of_b, index);
  }

  /// The word of sums, item by item.
  [[nodiscard]] std::uint32_t sum(std::uint64_t seed, std::int64_t index) const {
    const auto a = std::bit_cast<Items>(word(seed, index));
    const auto b = std::bit_cast<Items>(word_of_b(seed, index));
    auto c = std::bit_cast<Items>(weft::poison<std::uint32_t>());
    for (int i = 0; i < per_word && index * per_word + i < count_; ++i) {
      c[static_cast<std::size_t>(i)] =
          static_cast<T>(a[static_cast<std::size_t>(i)] + b[static_cast<std::size_t>(i)]);
    }
    return std::bit_cast<std::uint32_t>(c);
  }

  Shape shape_;
  Setting setting_;
  std::int64_t count_;
  LaunchNarrow<T> launch_;
  Buffer& a_;
  Buffer& b_;
  Buffer& c_;
};

List<Shape> vectors_of(const Numbers& sizes) {
  List<Shape> shapes;
  for (const std::int64_t size : sizes) shapes.push_back({size});
  return shapes;
}

/// The fields that most steps of this chapter share.
/// @param floats_per_item elements of each vector that one item of the shape stands for: 3 for a point
Variant vector_variant(const char* name, const Setting& setting, const Selection& selection,
                       const Launch& launch, const Predict& predict, Work work = Work::add,
                       int floats_per_item = 1, const Surroundings& surroundings = {}) {
  Variant made(name, setting);
  made.checked = checked_shapes();
  made.measured = vectors_of({timed_size / floats_per_item});
  made.make = [=](const Shape& shape) {
    return make_owned<AddVectors>(shape, floats_per_item * elements(shape), setting, selection, launch, work,
                                  surroundings);
  };
  made.amounts = [=](const Shape& shape) {
    const std::int64_t added = blocks_over(floats_per_item * elements(shape), selection.stride);
    return Amounts{.bytes = (work == Work::add ? 3 : 2) * std::int64_t{sizeof(float)} * added};
  };
  if (predict) {
    made.counted = vectors_of({counted_size});
    made.predict = [=](const Shape& shape) { return predict(shape, setting); };
  }
  return made;
}

/// The element of b that belongs to one of c: the next coordinate of the same point.
template <Layout layout>
std::int64_t next_coordinate(std::int64_t element, std::int64_t count) {
  if (layout == Layout::arrays) return (element + count / 3) % count;
  const std::int64_t floats = layout == Layout::structures ? 3 : 4;
  const std::int64_t coordinate = element % floats;
  return coordinate == 3 ? element : element - coordinate + (coordinate + 1) % 3;
}

Selection next_coordinates(Layout layout) {
  switch (layout) {
    case Layout::structures:
      return {.partner = next_coordinate<Layout::structures>};
    case Layout::padded_structures:
      return {.partner = next_coordinate<Layout::padded_structures>};
    case Layout::arrays:
      return {.partner = next_coordinate<Layout::arrays>};
  }
  return {};
}

}  // namespace

void add_vectors(const char* name, const Axes& axes, const Launch& launch, const Predict& predict,
                 const VectorOptions& options) {
  for (const Setting& setting : axes.settings()) {
    const Selection selection = options.selection != nullptr ? options.selection(setting) : Selection{};
    Variant made =
        vector_variant(name, setting, selection, launch, predict, options.work, 1, options.surroundings);
    made.kind = options.kind;
    made.curve = options.curve || !setting.is_default();
    made.measured = vectors_of(options.measured);
    if (predict) made.counted = vectors_of(options.counted);
    if (predict && !made.curve) made.checked_large = large_vectors();
    // The kernel of the other variants is the same, unless it finds out how its vectors lie.
    if (!setting.is_default() && selection.shift == Selection{}.shift) made.checked = few_checked_shapes();
    add(std::move(made));
  }
}

void require_aligned(const Vectors& vectors, int bytes) {
  for (const auto& [name, address] :
       {std::pair<const char*, const float*>{"a", vectors.a}, {"b", vectors.b}, {"c", vectors.c}}) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(bytes);
    if (beyond == 0) continue;
    throw std::invalid_argument(std::string(name) + " begins " + std::to_string(beyond) +
                                " bytes beyond a multiple of " + std::to_string(bytes) +
                                ", where accesses of that width cannot begin");
  }
}

void add_matrices(const char* name, const Axes& blocks, const Launch& launch, const Predict& predict,
                  Kind kind) {
  for (const Setting& setting : blocks.settings()) {
    const dim3 block = setting.block();
    Variant made = vector_variant(name, setting, {}, launch, predict);
    made.kind = kind;
    made.checked = adversarial_shapes(block.y, block.x);
    made.measured = {{8192, 8192}};
    made.counted = {{1024, 1024}};
    made.curve = true;
    add(std::move(made));
  }
}

void add_points(const char* name, const Axes& axes, Layout layout, const Launch& launch,
                const Predict& predict, Kind kind) {
  for (const Setting& setting : axes.settings()) {
    const int floats = layout == Layout::padded_structures ? 4 : 3;
    Variant made =
        vector_variant(name, setting, next_coordinates(layout), launch, predict, Work::add, floats);
    made.kind = kind;
    made.measured = vectors_of({std::int64_t{1} << 24});
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 3 * elements(shape) * std::int64_t{3 * sizeof(float)}};
    };
    add(std::move(made));
  }
}

template <typename T>
void add_narrow(const char* name, const Axes& axes, const LaunchNarrow<T>& launch, const Predict& predict,
                Kind kind) {
  for (const Setting& setting : axes.settings()) {
    Variant made = vector_variant(name, setting, {}, {}, predict);
    made.kind = kind;
    made.checked_large = {{(std::int64_t{1} << 32) + 13}};
    // As many bytes as the floats of the other steps.
    made.measured = vectors_of({timed_size * std::int64_t{sizeof(float) / sizeof(T)}});
    made.make = [=](const Shape& shape) { return make_owned<AddNarrow<T>>(shape, setting, launch); };
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 3 * std::int64_t{sizeof(T)} * elements(shape)};
    };
    add(std::move(made));
  }
}

template void add_narrow(const char*, const Axes&, const LaunchNarrow<std::uint8_t>&, const Predict&, Kind);
template void add_narrow(const char*, const Axes&, const LaunchNarrow<std::uint16_t>&, const Predict&, Kind);

int ptx_count(const char* kernel, const char* instruction) {
  int count = 0;
  for (const PtxModule& module : read_device_code("/proc/self/exe").ptx) {
    for (const Statement& statement : statements(module.text)) {
      if (statement.entry.find(kernel) == std::string::npos) continue;
      std::istringstream words(statement.text);
      for (std::string word; words >> word;) count += word.starts_with(instruction) ? 1 : 0;
    }
  }
  return count;
}

}  // namespace weft
