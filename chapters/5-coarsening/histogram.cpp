#include "histogram.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "check/compare.hpp"
#include "device/memory.hpp"
#include "device/parallel.hpp"

namespace weft {
namespace {

/// Another salt, for what chooses the elements that are the same.
constexpr std::uint64_t choosing = std::uint64_t{1} << 20;

/// Words of elements: of each hundred elements so many are the same value, which the seed says; the others
/// are evenly spread. No two seeds spread them alike.
class Input {
 public:
  Input(Elements elements, std::int64_t same) : elements_(elements), same_(same) {}

  void operator()(std::uint64_t seed, std::int64_t first, std::int64_t last, std::uint32_t* words) const {
    constexpr std::int64_t piece = 256;
    std::array<float, piece> spread{};
    std::array<float, piece> chosen{};
    const std::uint32_t usual = value_of(seed);
    const std::uint32_t most = elements_.bins - 1;
    for (std::int64_t begin = first; begin < last; begin += piece) {
      const std::int64_t end = std::min(last, begin + piece);
      hashed_floats(seed, begin, end, spread.data());
      hashed_floats(seed + choosing, begin, end, chosen.data());
      for (std::int64_t i = begin; i < end; ++i) {
        const auto values = std::bit_cast<std::uint32_t>(spread.at(static_cast<std::size_t>(i - begin)));
        const auto choices = std::bit_cast<std::uint32_t>(chosen.at(static_cast<std::size_t>(i - begin)));
        std::uint32_t word = 0;
        for (int shift = 0; shift < 32; shift += elements_.bits) {
          // The top of a hashed float is its exponent, which is not evenly spread: so the lower bits are.
          const std::uint32_t own = std::rotr(values * 0x9E3779B1U, shift) >> 7 & most;
          const bool is_usual =
              static_cast<std::int64_t>(std::rotr(choices * 0x85EBCA6BU, shift) >> 9 & 0xFF) * 100 <
              same_ * 256;
          word |= (is_usual ? usual : own) << shift;
        }
        words[i - first] = word;
      }
    }
  }

  /// The value that is frequent.
  [[nodiscard]] std::uint32_t value_of(std::uint64_t seed) const {
    return static_cast<std::uint32_t>(seed * 37 + 5) % static_cast<std::uint32_t>(elements_.bins);
  }

 private:
  Elements elements_;
  std::int64_t same_;
};

/// How often each value is among so many elements of the input.
std::vector<std::uint32_t> counted(const Input& input, std::uint64_t seed, Elements elements,
                                   std::int64_t count) {
  const int in_word = 32 / elements.bits;
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(elements.bins));
  std::mutex mutex;
  for_each_range(0, elements.words_of(count), [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::uint32_t> part(counts.size());
    std::array<std::uint32_t, 1024> words{};
    for (std::int64_t first = begin; first < end; first += std::ssize(words)) {
      const std::int64_t last = std::min(end, first + std::ssize(words));
      input(seed, first, last, words.data());
      for (std::int64_t i = first; i < last; ++i) {
        const std::uint32_t word = words.at(static_cast<std::size_t>(i - first));
        for (int j = 0; j < in_word && i * in_word + j < count; ++j) {
          ++part[word >> (j * elements.bits) & ((1U << elements.bits) - 1)];
        }
      }
    }
    const std::scoped_lock lock(mutex);
    for (std::size_t bin = 0; bin < counts.size(); ++bin) counts[bin] += part[bin];
  });
  return counts;
}

class HistogramProblem final : public Problem {
 public:
  /// @throws OutOfDeviceMemory if there is no room
  HistogramProblem(std::int64_t count, HistogramStep step, std::int64_t same)
      : count_(count),
        same_(same),
        step_(std::move(step)),
        words_("words", {step_.elements.words_of(count)}, false, Input(step_.elements, same)),
        bins_(step_.elements.bins),
        workspace_(step_.workspace) {}

  void fill(std::uint64_t seed) override {
    seed_ = seed;
    words_.fill(seed);
    if (!cleared_) workspace_.fill([](std::int64_t) { return 0U; });
    cleared_ = true;
  }

  void poison(cudaStream_t stream) override { bins_.poison(stream); }

  void launch(cudaStream_t stream) override {
    step_.launch(stream, {words_.buffer().data(), count_, bins_.data(), workspace_.data()});
  }

  Verdict verify() override {
    previous_ = std::exchange(reference_, reference());
    const auto value_of = [](const std::vector<std::uint32_t>& values, std::int64_t i) {
      return values.empty() ? 0 : values[static_cast<std::size_t>(i)];
    };
    if (auto mismatch = compare(
            bins_, {"bins", {bins_.size()}}, [&](std::int64_t i) { return value_of(reference_, i); },
            [&](std::int64_t i) { return value_of(previous_, i); })) {
      return mismatch;
    }
    return words_.verify(seed_, seed_);
  }

 private:
  /// The counts of the input. They are few, and kept: variants that are timed one after the other share them.
  [[nodiscard]] std::vector<std::uint32_t> reference() const {
    static std::map<std::array<std::int64_t, 4>, std::vector<std::uint32_t>> known;
    const Elements elements = step_.elements;
    auto& counts = known[{static_cast<std::int64_t>(seed_), count_, elements.bits, same_}];
    if (counts.empty()) counts = counted(Input(elements, same_), seed_, elements, count_);
    return counts;
  }

  std::int64_t count_;
  std::int64_t same_;
  HistogramStep step_;
  ArrayOf<std::uint32_t> words_;
  GuardedBuffer<std::uint32_t> bins_;
  GuardedBuffer<std::uint32_t> workspace_;
  std::vector<std::uint32_t> reference_, previous_;
  std::uint64_t seed_ = 0;
  bool cleared_ = false;
};

}  // namespace

Variant histogram_variant(const char* name, const Setting& setting, const HistogramStep& step) {
  Variant made(name, setting);
  for (const std::int64_t count : {0, 1, 3, 33, 257, 4097, 65'535, 65'536, 1'000'003, 20'000'003}) {
    made.checked.push_back({count});
  }
  made.checked_large = {{(std::int64_t{1} << 31) + 11}};
  made.measured = {{(std::int64_t{1} << 28) / (step.elements.bits / 8)}};
  made.counted = {{1 << 16}};
  made.polls = step.workspace > 0;  // its blocks meet
  const std::int64_t same = setting.number("same");
  made.make = [=](const Shape& shape) { return make_owned<HistogramProblem>(shape[0], step, same); };
  made.amounts = [=](const Shape& shape) { return Amounts{.bytes = shape[0] * (step.elements.bits / 8)}; };
  if (step.predict) made.predict = [=](const Shape& shape) { return step.predict(shape[0]); };
  return made;
}

List<std::uint32_t> counts_of_constant(const HistogramStep& step, std::int64_t count, int value) {
  std::uint32_t word = 0;
  for (int shift = 0; shift < 32; shift += step.elements.bits)
    word |= static_cast<std::uint32_t>(value) << shift;
  GuardedBuffer<std::uint32_t> words(step.elements.words_of(count));
  GuardedBuffer<std::uint32_t> bins(step.elements.bins);
  GuardedBuffer<std::uint32_t> workspace(step.workspace);
  words.fill([=](std::int64_t) { return word; });
  workspace.fill([](std::int64_t) { return 0U; });
  step.launch(nullptr, {words.data(), count, bins.data(), workspace.data()});
  cuda_check(cudaGetLastError());
  List<std::uint32_t> counts(static_cast<std::size_t>(bins.size()));
  bins.copy_out(0, bins.size(), counts.data());
  return counts;
}

}  // namespace weft
