#include "sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "check/compare.hpp"
#include "device/memory.hpp"
#include "device/parallel.hpp"

namespace weft {
namespace {

/// What a float is made of: in odd fills evenly spread over [0, 1); in even ones a whole number from -8 to 8
/// that is not 0, so that sums are exact in any order and tell of each float that is left out.
float input_of(std::uint64_t seed, float hashed) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(hashed) & 0xFFFFFF;
  if (seed % 2 != 0) return static_cast<float>(bits) * 0x1p-24F;
  const auto magnitude = static_cast<float>((bits >> 8) % 8 + 1);
  return bits % 2 == 0 ? magnitude : -magnitude;
}

void write_inputs(std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) {
  hashed_floats(seed, first, last, values);
  for (std::int64_t i = 0; i < last - first; ++i) values[i] = input_of(seed, values[i]);
}

/// What the sum should be, in double precision.
struct Reference {
  double sum = 0;
  double magnitudes = 0;
};

Reference reference_of(std::uint64_t seed, std::int64_t count) {
  Reference all;
  std::mutex mutex;
  for_each_range(0, count, [&](std::int64_t begin, std::int64_t end) {
    std::array<float, 1024> values{};
    Reference part;
    for (std::int64_t first = begin; first < end; first += std::ssize(values)) {
      const std::int64_t last = std::min(end, first + std::ssize(values));
      write_inputs(seed, first, last, values.data());
      for (std::int64_t i = 0; i < last - first; ++i) {
        const double value = values.at(static_cast<std::size_t>(i));
        part.sum += value;
        part.magnitudes += std::abs(value);
      }
    }
    const std::scoped_lock lock(mutex);
    all.sum += part.sum;
    all.magnitudes += part.magnitudes;
  });
  return all;
}

class SumProblem final : public Problem {
 public:
  /// @throws OutOfDeviceMemory if there is no room
  SumProblem(std::int64_t count, const SumStep& step)
      : count_(count),
        step_(step),
        in_("in", {count}, false, write_inputs),
        sum_(1),
        workspace_(step.workspace ? step.workspace(count) : 0) {}

  void fill(std::uint64_t seed) override {
    previous_ = std::exchange(reference_, reference_of(seed, count_));
    seed_ = seed;
    in_.fill(seed);
    if (!cleared_) workspace_.fill([](std::int64_t) { return 0U; });
    cleared_ = true;
  }

  void poison(cudaStream_t stream) override { sum_.poison(stream); }

  void launch(cudaStream_t stream) override { launch_with_workspace_of(*this, stream); }

  void launch_with_workspace_of(SumProblem& other, cudaStream_t stream) {
    step_.launch(stream, {in_.buffer().data(), count_, sum_.data(), other.workspace_.data()});
  }

  Verdict verify() override {
    const ArrayName named{"sum", {1}};
    const double additions = static_cast<double>(step_.additions(count_)) * unit_roundoff;
    const double bound = seed_ % 2 == 0 ? 0 : additions / (1 - additions) * reference_.magnitudes;
    if (auto mismatch = compare_within(
            sum_, named, [&](std::int64_t) { return reference_.sum; }, [&](std::int64_t) { return bound; },
            [&](std::int64_t) { return previous_.sum; })) {
      return mismatch;
    }
    return in_.verify(seed_, seed_);
  }

  [[nodiscard]] float written() const {
    float value = 0;
    sum_.copy_out(0, 1, &value);
    return value;
  }

  /// How far off the sum is, relative to that of the magnitudes and in roundings of 2^-24.
  [[nodiscard]] double error() const {
    return std::abs(written() - reference_.sum) / (reference_.magnitudes * unit_roundoff);
  }

 private:
  static constexpr double unit_roundoff = 0x1p-24;

  std::int64_t count_;
  SumStep step_;
  ArrayOf<float> in_;
  GuardedBuffer<float> sum_;
  GuardedBuffer<std::uint32_t> workspace_;
  Reference reference_, previous_;
  std::uint64_t seed_ = 0;
  bool cleared_ = false;
};

/// Sizes that break kernels: none, one, whole warps, blocks and tiles, and one off them.
List<Shape> checked_shapes() {
  List<Shape> shapes;
  for (const std::int64_t count :
       {0,    1,    2,    3,    5,    31,   32,     33,     127,    255,       256,       257,
        1023, 1025, 4095, 4097, 8191, 8193, 16'385, 65'535, 65'536, 1'000'003, 20'000'003}) {
    shapes.push_back({count});
  }
  return shapes;
}

}  // namespace

Variant sum_of_floats(const char* name, const Setting& setting, const SumStep& step) {
  Variant made(name, setting);
  made.checked = checked_shapes();
  made.checked_large = {{(std::int64_t{1} << 31) + 11}};
  made.measured = {{sizes_of_sums.front()}};
  if (step.predict) made.counted = {{1 << 20}};
  made.make = [=](const Shape& shape) { return make_owned<SumProblem>(shape[0], step); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 4 * shape[0]}; };
  if (step.predict) made.predict = [=](const Shape& shape) { return step.predict(shape[0]); };
  made.quantities = {{"error", "1", Origin::device,
                      [](Problem& problem) { return dynamic_cast<SumProblem&>(problem).error(); }}};
  return made;
}

namespace {

/// The steps of this program that are sums: other programs have this file's test cases, too.
std::vector<const Variant*> sums() {
  std::vector<const Variant*> found;
  for (const Variant& variant : variants()) {
    if (variant.kind == Kind::step && variant.checked == checked_shapes()) found.push_back(&variant);
  }
  return found;
}

}  // namespace

TEST_SUITE("device") {
  TEST_CASE("a sum has the same bits in every launch") {
    constexpr std::int64_t count = 65'536;
    for (const Variant* const variant : sums()) {
      const Owned<Problem> problem = variant->make({count});
      auto& sum = dynamic_cast<SumProblem&>(*problem);
      sum.fill(1);
      std::optional<std::uint32_t> first;
      for (int launch = 0; launch < 5; ++launch) {
        sum.poison(nullptr);
        sum.launch(nullptr);
        cuda_check(cudaDeviceSynchronize());
        const auto bits = std::bit_cast<std::uint32_t>(sum.written());
        CHECK(bits == first.value_or(bits));
        first = bits;
      }
    }
  }

  TEST_CASE("sums of other sizes follow each other in one workspace") {
    for (const Variant* const variant : sums()) {
      const Owned<Problem> largest = variant->make({1'000'003});
      auto& all = dynamic_cast<SumProblem&>(*largest);
      all.fill(2);
      for (const std::int64_t count : {1'000'003, 5, 65'536, 300'000, 257, 1'000'003}) {
        const Owned<Problem> problem = variant->make({count});
        auto& sum = dynamic_cast<SumProblem&>(*problem);
        sum.fill(2);
        sum.poison(nullptr);
        sum.launch_with_workspace_of(all, nullptr);
        cuda_check(cudaDeviceSynchronize());
        const Verdict verdict = sum.verify();
        CHECK_MESSAGE(!verdict, count);
      }
    }
  }
}

}  // namespace weft
