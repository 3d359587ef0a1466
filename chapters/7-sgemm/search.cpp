#include "search.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "accuracy.hpp"
#include "choice.hpp"
#include "device/device.hpp"
#include "product.hpp"
#include "step/mismatch.hpp"
#include "step/text.hpp"

namespace weft {
namespace {

/// Takes the time of a launch that finds nothing of its problem in the L2.
class ColdTimer {
 public:
  ColdTimer() : overwritten_(bytes) {}

  /// @return `refused` if the launch does not come about
  /// @throws Unavailable if it needs what this machine lacks
  double seconds(const std::function<void(cudaStream_t)>& launch) const {
    cuda_check(cudaMemsetAsync(overwritten_.data(), 0, bytes, stream_.get()));
    begin_.record(stream_.get());
    try {
      launch(stream_.get());
    } catch (const Unavailable&) {
      throw;
    } catch (const std::runtime_error&) {
      return refused;
    }
    end_.record(stream_.get());
    end_.synchronize();
    return cudaGetLastError() == cudaSuccess ? seconds_between(begin_, end_) : refused;
  }

 private:
  static constexpr std::size_t bytes = std::size_t{256}
                                       << 20;  // more than any L2; and time to queue the launch

  DeviceMemory overwritten_;
  Stream stream_;
  Event begin_, end_;
};

/// A product by the fastest of a peer's candidates, which is looked for when the matrices are filled.
class FastestProduct final : public Problem {
 public:
  FastestProduct(const Shape& shape, Search search, Workspace workspace)
      : shape_(shape),
        search_(std::move(search)),
        workspace_(workspace),
        product_(shape, {}, [this](cudaStream_t stream, const Sgemm& p) { launch(stream, p); }, workspace) {}

  void fill(std::uint64_t seed) override {
    product_.fill(seed);
    if (candidates_.empty()) choose();
  }
  void poison(cudaStream_t stream) override { product_.poison(stream); }
  void launch(cudaStream_t stream) override { product_.launch(stream); }
  Verdict verify() override { return product_.verify(); }

  [[nodiscard]] double property(std::size_t i) const { return candidates_.at(tried_).properties.at(i); }
  [[nodiscard]] double error() const { return error_; }
  [[nodiscard]] double count() const { return static_cast<double>(candidates_.size()); }

 private:
  void launch(cudaStream_t stream, const Sgemm& p) {
    if (candidates_.empty()) candidates_ = search_.candidates(p);
    if (candidates_.empty()) throw std::runtime_error("the peer has no kernel for " + to_string(shape_));
    candidates_.at(tried_).launch(stream, p);
  }

  void choose() {
    const ColdTimer timer;
    const auto launch = [this](cudaStream_t stream) { product_.launch(stream); };
    static_cast<void>(timer.seconds(launch));  // makes the list
    const auto chosen = fastest(
        candidates_.size(),
        [&](std::size_t candidate) {
          tried_ = candidate;
          return timer.seconds(launch);
        },
        [this](std::size_t candidate) {
          tried_ = candidate;
          return tried_is_precise();
        });
    if (!chosen) {
      throw std::runtime_error("the peer has no kernel for " + to_string(shape_) + " that is precise enough");
    }
  }

  bool tried_is_precise() {
    const auto work = [this](cudaStream_t stream, const Sgemm& p) { launch(stream, p); };
    constexpr double rounding = 0x1p-24;
    error_ = relative_error(work, workspace_, shape_, Inputs::zero_mean).rms / rounding;
    return error_ <= search_.most_error;
  }

  Shape shape_;
  Search search_;
  Workspace workspace_;
  List<Candidate> candidates_;
  std::size_t tried_ = 0;  ///< after the search: the chosen one
  double error_ = 0;
  Product product_;
};

}  // namespace

void add_fastest(const char* name, const Search& search, const ProductOptions& options) {
  Variant made = product_variant(name, {}, nullptr, nullptr, options);
  // Each takes a search. They are so deep that the bound has room for tf32, too.
  made.checked = {{64, 64, 4096}, {127, 129, 2049}, {132, 68, 2052}};
  made.checked_large.clear();
  made.make = [=, workspace = options.workspace](const Shape& shape) {
    return make_owned<FastestProduct>(shape, search, workspace);
  };
  const auto reading = [](auto read) {
    return [=](Problem& problem) { return read(dynamic_cast<const FastestProduct&>(problem)); };
  };
  for (std::size_t i = 0; i < search.properties.size(); ++i) {
    made.quantities.push_back({search.properties[i], "1", Origin::device,
                               reading([i](const FastestProduct& product) { return product.property(i); })});
  }
  made.quantities.push_back(
      {"candidates", "1", Origin::device, reading([](const FastestProduct& p) { return p.count(); })});
  made.quantities.push_back(
      {"zero-mean-error", "u", Origin::device, reading([](const FastestProduct& p) { return p.error(); })});
  add(std::move(made));
}

}  // namespace weft
