#include "staged.hpp"

#include <algorithm>

namespace weft {
namespace {

constexpr std::int64_t words_of_request = std::int64_t{model::warp_size} * 4;

std::uint32_t sum_of_warp(std::uint64_t seed, std::int64_t warp, const Staged& staged) {
  const std::int64_t warps = staged.warps;
  const std::int64_t requests = std::int64_t{staged.kibibytes} * words_of_kibibyte / words_of_request / warps;
  std::uint32_t sum = 0;
  for (std::int64_t piece = warp / warps; piece < staged.pieces; piece += staged.blocks) {
    for (std::int64_t i = 0; i < requests; ++i) {
      const std::int64_t request = (piece * requests + i) * warps + warp % warps;
      sum += sum_of_words(seed, request * words_of_request, words_of_request);
    }
  }
  return sum;
}

Owned<Problem> make(const Staged& staged, LaunchStaged launch) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {staged.words()}, word);
  auto& sums = problem->output<std::uint32_t>(
      "sums", {staged.blocks * staged.warps},
      [=](auto seed, std::int64_t warp) { return sum_of_warp(seed, warp, staged); });
  problem->launches([=, &in, &sums](cudaStream_t stream) {
    if (staged.pieces > 0) launch(stream, staged, reinterpret_cast<const uint4*>(in.data()), sums.data());
  });
  return problem;
}

}  // namespace

Staged::Staged(std::int64_t mebibytes, const Setting& setting, std::int64_t warps_of_block)
    : stages(setting.number("stages")),
      kibibytes(setting.number("kibibytes")),
      warps(warps_of_block),
      pieces(mebibytes * 1024 / kibibytes),
      blocks(std::min<std::int64_t>(multiprocessors(), pieces)) {}

Variant sum_in_stages(const char* name, const Setting& setting, std::int64_t warps_of_block,
                      LaunchStaged launch, model::Prediction (*predict)(const Staged& staged)) {
  const auto staged = [=](const Shape& shape) { return Staged(shape[0], setting, warps_of_block); };
  Variant made(name, setting);
  made.curve = true;
  made.checked = {{0}, {1}, {9}};
  made.measured = {{1024}};
  made.counted = {{4}};
  made.make = [=](const Shape& shape) { return make(staged(shape), launch); };
  made.amounts = [=](const Shape& shape) { return Amounts{.bytes = 4 * staged(shape).words()}; };
  made.predict = [=](const Shape& shape) { return predict(staged(shape)); };
  return made;
}

}  // namespace weft
