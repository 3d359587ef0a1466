#include "problem.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "check/buffer.hpp"
#include "check/compare.hpp"
#include "binary/fat_binary.hpp"
#include "step/shapes.hpp"
#include "step/step.hpp"

namespace weft {
namespace {

/// Sizes that break kernels: none, one, whole warps and blocks and vectors, and one off them; primes.
std::vector<Shape> checked_shapes() {
  std::vector<Shape> shapes;
  for (const std::int64_t count :
       {0,   1,    2,    3,    4,    5,    7,    8,    9,     15,     16,     17,       31,  32,
        33,  63,   64,   65,   127,  128,  129,  255,  256,   257,    511,    512,      513, 769,
        997, 1023, 1024, 1025, 1031, 2047, 2049, 4099, 10007, 65'536, 65'537, 1'000'003}) {
    shapes.push_back({count});
  }
  return shapes;
}

/// Enough to find a wrong edge, for variants of a kernel that is checked on all sizes elsewhere.
std::vector<Shape> few_checked_shapes() { return {{0}, {1}, {31}, {33}, {257}, {1031}, {10'007}}; }

/// More than 2^32 bytes in each vector.
std::vector<Shape> large_vectors() { return {{(std::int64_t{1} << 30) + 11}}; }

/// An array with `shift` elements more in front, which nobody may touch.
class Array {
 public:
  Array(std::int64_t length, std::int64_t shift) : shift_(shift), buffer_(shift + length) {}

  [[nodiscard]] float* data() { return buffer_.data() + shift_; }
  [[nodiscard]] std::int64_t shift() const { return shift_; }
  [[nodiscard]] GuardedBuffer<float>& buffer() { return buffer_; }

 private:
  std::int64_t shift_;
  GuardedBuffer<float> buffer_;
};

using Queue = std::function<void(cudaStream_t, Vectors)>;

/// Vectors to be added, or one to be copied.
class AddVectors final : public Problem {
 public:
  /// @throws OutOfDeviceMemory if there is no room for the vectors
  AddVectors(std::int64_t count, const Chosen& chosen, Queue launch, Work work)
      : count_(count),
        chosen_(chosen),
        work_(work),
        launch_(std::move(launch)),
        a_(count + chosen.first, chosen.shift[0]),
        b_(work == Work::add ? count + chosen.first : 0, chosen.shift[1]),
        c_(count + chosen.first, chosen.shift[2]) {}

  void fill(std::uint64_t seed) override {
    previous_seed_ = std::exchange(seed_, seed);
    a_.buffer().fill([seed](std::int64_t index) { return hashed_float(seed, index); });
    b_.buffer().fill([seed](std::int64_t index) { return hashed_float(seed + of_b, index); });
  }

  void poison(cudaStream_t stream) override { c_.buffer().poison(stream); }

  /// No elements launch nothing: CUDA refuses an empty grid.
  void launch(cudaStream_t stream) override {
    if (count_ > 0) launch_(stream, {a_.data(), b_.data(), c_.data(), count_});
  }

  /// A single addition is rounded in one way, on the host as on the device, so that every bit counts. What is
  /// not chosen keeps its poison.
  std::optional<Mismatch> verify() override {
    const auto expected = [this](std::uint64_t seed) {
      return [this, seed](std::int64_t index) { return sum(seed, index - c_.shift()); };
    };
    const Named output{"c", {c_.buffer().size()}};
    if (auto mismatch = compare(c_.buffer(), output, expected(seed_), expected(previous_seed_))) {
      return mismatch;
    }
    const auto filled = [this](std::uint64_t of) {
      return [this, of](std::int64_t index) { return hashed_float(seed_ + of, index); };
    };
    if (auto mismatch = unchanged(a_.buffer(), {"a", {a_.buffer().size()}}, filled(0))) return mismatch;
    return unchanged(b_.buffer(), {"b", {b_.buffer().size()}}, filled(of_b));
  }

 private:
  static constexpr std::uint64_t of_b = 1000;  // what b's seed has more than a's

  /// What belongs at an element of c.
  [[nodiscard]] float sum(std::uint64_t seed, std::int64_t index) const {
    const std::int64_t place = index - chosen_.first;
    if (place < 0 || place % chosen_.stride != 0) return weft::poison<float>();
    const float a = hashed_float(seed, index + a_.shift());
    if (work_ == Work::copy) return a;
    const std::int64_t partner = chosen_.partner != nullptr ? chosen_.partner(index, count_) : index;
    return a + hashed_float(seed + of_b, partner + b_.shift());
  }

  std::int64_t count_;
  Chosen chosen_;
  Work work_;
  Queue launch_;
  Array a_, b_, c_;
  std::uint64_t seed_ = 0, previous_seed_ = 0;
};

/// Vectors of small integers, kept in words of four bytes; what is left of the last word stays as it was.
template <typename T>
class AddNarrow final : public Problem {
 public:
  using Launch = NarrowStep<T>::Launch;

  /// @throws OutOfDeviceMemory if there is no room for the vectors
  AddNarrow(std::int64_t count, Launch launch)
      : count_(count), launch_(launch), a_(blocks_over(count, per_word)), b_(a_.size()), c_(a_.size()) {}

  void fill(std::uint64_t seed) override {
    previous_seed_ = std::exchange(seed_, seed);
    a_.fill([seed](std::int64_t index) { return word(seed, index); });
    b_.fill([seed](std::int64_t index) { return word(seed + of_b, index); });
  }

  void poison(cudaStream_t stream) override { c_.poison(stream); }

  void launch(cudaStream_t stream) override {
    if (count_ > 0) launch_(stream, items(a_), items(b_), items(c_), count_);
  }

  std::optional<Mismatch> verify() override {
    const auto expected = [this](std::uint64_t seed) {
      return [this, seed](std::int64_t index) { return sum(seed, index); };
    };
    if (auto mismatch = compare(c_, {"c (words)", {c_.size()}}, expected(seed_), expected(previous_seed_))) {
      return mismatch;
    }
    const auto filled = [this](std::uint64_t of) {
      return [this, of](std::int64_t index) { return word(seed_ + of, index); };
    };
    if (auto mismatch = unchanged(a_, {"a (words)", {a_.size()}}, filled(0))) return mismatch;
    return unchanged(b_, {"b (words)", {b_.size()}}, filled(of_b));
  }

 private:
  static constexpr int per_word = sizeof(std::uint32_t) / sizeof(T);
  static constexpr std::uint64_t of_b = 1000;  // what b's seed has more than a's
  using Items = std::array<T, per_word>;
  using Buffer = GuardedBuffer<std::uint32_t>;

  static T* items(Buffer& buffer) { return reinterpret_cast<T*>(buffer.data()); }
  static std::uint32_t word(std::uint64_t seed, std::int64_t index) {
    return std::bit_cast<std::uint32_t>(hashed_float(seed, index));
  }

  /// The word of sums, item by item.
  [[nodiscard]] std::uint32_t sum(std::uint64_t seed, std::int64_t index) const {
    const auto a = std::bit_cast<Items>(word(seed, index));
    const auto b = std::bit_cast<Items>(word(seed + of_b, index));
    auto c = std::bit_cast<Items>(weft::poison<std::uint32_t>());
    for (int i = 0; i < per_word && index * per_word + i < count_; ++i) {
      c[static_cast<std::size_t>(i)] =
          static_cast<T>(a[static_cast<std::size_t>(i)] + b[static_cast<std::size_t>(i)]);
    }
    return std::bit_cast<std::uint32_t>(c);
  }

  std::int64_t count_;
  Launch launch_;
  Buffer a_, b_, c_;
  std::uint64_t seed_ = 0, previous_seed_ = 0;
};

/// The fields that most steps of this chapter share: checked sizes, measured and counted shapes, bytes.
/// @param floats_per_item elements of each vector that one item of the shape stands for: 3 for a point
Variant vector_variant(const char* step, const Parameters& parameters, const Chosen& chosen,
                       const Queue& launch, const std::function<model::Metrics(std::int64_t count)>& predict,
                       Work work = Work::add, int floats_per_item = 1) {
  Variant made;
  made.step = step;
  made.parameters = by_name(parameters);
  made.checked = checked_shapes();
  made.measured = {{usual / floats_per_item}};
  made.counted = {{few}};
  made.make = [=](const Shape& shape) {
    return std::make_unique<AddVectors>(floats_per_item * elements(shape), chosen, launch, work);
  };
  made.bytes = [=](const Shape& shape) {
    const std::int64_t added = blocks_over(floats_per_item * elements(shape), chosen.stride);
    return (work == Work::add ? 3 : 2) * std::int64_t{sizeof(float)} * added;
  };
  made.flops = [](const Shape&) { return 0; };
  if (predict) {
    made.predict = [predict](const Shape& shape) { return predict(elements(shape)); };
  }
  return made;
}

}  // namespace

Parameters block_parameter(dim3 block) {
  if (block.y == 1) return {{"block", {block.x}}};
  return {{"block", {block.x, block.y}}};
}

Step::Step(const char* name, dim3 block, Launch launch, Predict predict, Kind kind, Work work) {
  Variant added = vector_variant(name, block_parameter(block), {}, launch, predict, work);
  added.kind = kind;
  added.checked_large = large_vectors();
  added.measured.push_back({many});
  added.counted.push_back({of_sources});
  add(std::move(added));
}

Step::Step(const char* name, const std::vector<dim3>& blocks, LaunchWithBlock launch, Predict predict) {
  for (const dim3& block : blocks) {
    const auto launch_so = [=](cudaStream_t stream, Vectors v) { launch(stream, v, block); };
    Variant added = vector_variant(name, block_parameter(block), {}, launch_so, predict);
    added.measured.push_back({many});
    added.counted.push_back({of_sources});
    if (&block == &blocks.front()) {
      added.checked_large = large_vectors();
    } else {
      added.checked = few_checked_shapes();  // the kernel is the same
      added.sweep = true;
    }
    add(std::move(added));
  }
}

Step::Step(const char* name, Launch launch, Kind kind, Work work) {
  Variant added = vector_variant(name, {}, {}, launch, {}, work);
  added.kind = kind;
  added.measured.push_back({many});
  added.counted.clear();
  add(std::move(added));
}

Sweep::Sweep(const char* name, const char* parameter, const std::vector<int>& values,
             Chosen (*chosen)(int value), dim3 block, LaunchWith launch, PredictWith predict,
             const std::vector<std::int64_t>& measured, const std::vector<std::int64_t>& counted) {
  for (const int value : values) {
    Parameters parameters = block_parameter(block);
    parameters.push_back({parameter, {value}});
    Variant added = vector_variant(
        name, parameters, chosen(value), [=](cudaStream_t stream, Vectors v) { launch(stream, v, value); },
        [=](std::int64_t count) { return predict(count, value); });
    added.checked = few_checked_shapes();
    added.measured.clear();
    for (const std::int64_t count : measured) added.measured.push_back({count});
    added.counted.clear();
    for (const std::int64_t count : counted) added.counted.push_back({count});
    added.sweep = true;
    add(std::move(added));
  }
}

Misaligned::Misaligned(const char* name, const std::vector<Shift>& shifts, dim3 block, Launch launch,
                       PredictShifted predict) {
  for (const Shift& shift : shifts) {
    Parameters parameters = block_parameter(block);
    parameters.push_back({"shift", {shift.begin(), shift.end()}});
    const auto predict_shift = [=](std::int64_t count) { return predict(count, shift); };
    Variant added = vector_variant(name, parameters, {.shift = shift}, launch, predict_shift);
    added.sweep = true;
    add(std::move(added));
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

MatrixStep::MatrixStep(const char* name, const std::vector<dim3>& blocks, LaunchMatrix launch,
                       PredictMatrix predict) {
  for (const dim3& block : blocks) {
    Variant added = vector_variant(name, {{"block", {block.x, block.y}}}, {}, {}, {});
    added.checked =
        adversarial_shapes(static_cast<std::int64_t>(block.y), static_cast<std::int64_t>(block.x));
    added.measured = {{8192, 8192}};
    added.counted = {{1024, 1024}};
    added.make = [=](const Shape& shape) {
      const auto launch_matrix = [=](cudaStream_t stream, Vectors v) {
        launch(stream, v, shape[0], shape[1], block);
      };
      return std::make_unique<AddVectors>(elements(shape), Chosen{}, launch_matrix, Work::add);
    };
    added.predict = [=](const Shape& shape) { return predict(shape[0], shape[1], block); };
    added.sweep = true;
    add(std::move(added));
  }
}

namespace {

/// The element of b that belongs to one of c: the next coordinate of the same point.
template <Layout layout>
std::int64_t next_coordinate(std::int64_t element, std::int64_t count) {
  if (layout == Layout::arrays) return (element + count / 3) % count;
  const std::int64_t floats = layout == Layout::structures ? 3 : 4;
  const std::int64_t coordinate = element % floats;
  return coordinate == 3 ? element : element - coordinate + (coordinate + 1) % 3;
}

Chosen next_coordinates(Layout layout) {
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

PointsStep::PointsStep(const char* name, dim3 block, Layout layout, Launch launch, Predict predict) {
  Variant added = vector_variant(name, block_parameter(block), next_coordinates(layout), launch, predict,
                                 Work::add, layout == Layout::padded_structures ? 4 : 3);
  added.measured = {{std::int64_t{1} << 24}};
  added.bytes = [](const Shape& shape) { return 3 * elements(shape) * std::int64_t{3 * sizeof(float)}; };
  add(std::move(added));
}

template <typename T>
NarrowStep<T>::NarrowStep(const char* name, dim3 block, Launch launch, Predict predict) {
  Variant added = vector_variant(name, block_parameter(block), {}, {}, predict);
  added.checked_large = {{(std::int64_t{1} << 32) + 13}};
  added.measured = {{many / static_cast<std::int64_t>(sizeof(T))}};  // as many bytes as `usual` floats
  added.make = [launch](const Shape& shape) {
    return std::make_unique<AddNarrow<T>>(elements(shape), launch);
  };
  added.bytes = [](const Shape& shape) { return 3 * std::int64_t{sizeof(T)} * elements(shape); };
  add(std::move(added));
}

template class NarrowStep<std::uint8_t>;
template class NarrowStep<std::uint16_t>;

bool own_ptx_has(const char* words) {
  const auto has = [&](const PtxModule& ptx) { return ptx.text.find(words) != std::string::npos; };
  return std::ranges::any_of(read_device_code("/proc/self/exe").ptx, has);
}

}  // namespace weft
