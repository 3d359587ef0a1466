// A copy whose pieces of a sector are read in random order, or written, or both, or neither.
#include "check/arrays.hpp"
#include "check/pattern.hpp"
#include "fetch_granularity.hpp"
#include "kernel/permutation.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr dim3 block{256};
constexpr int piece = 8;  // elements of a sector

/// Pieces change places with others of the whole vector, or with those of their window.
struct Order {
  std::int64_t moved;  ///< pieces from the first on; those behind the last whole window stay
  std::int64_t low;    ///< the bits of a piece's number that change
  Permutation permutation;

  /// @param pieces of the vector
  /// @param window of so many pieces, a power of two; 0: of all
  Order(std::int64_t pieces, std::int64_t window)
      : moved(window == 0 ? pieces : pieces / window * window),
        low(window - 1),
        permutation(window == 0 ? max(pieces, std::int64_t{1}) : window) {}

  __host__ __device__ std::int64_t operator()(std::int64_t index) const {
    const std::int64_t number = index / piece;
    if (number >= moved) return index;
    return ((number & ~low) + permutation(number & low)) * piece + index % piece;
  }
};

template <bool reads, bool writes>
__global__ void copy_scattered(const float* __restrict__ in, float* __restrict__ out, std::int64_t count,
                               Order order) {
  const std::int64_t index = thread_index();
  if (index >= count) return;
  const std::int64_t place = order(index);
  out[writes ? place : index] = in[reads ? place : index];
}

/// Sets how many bytes the L2 fetches at a time, as the setting says behind its reads.
std::size_t enter_fetches(const Setting& at) {
  return set_fetch_granularity(static_cast<std::size_t>(at["reads"].back()));
}

/// A copy inside of surroundings.
class CopyProblem final : public ArrayProblem {
 public:
  CopyProblem(const Surroundings& surroundings, const Setting& setting) : inside_(surroundings, setting) {}

 private:
  Inside inside_;
};

Owned<Problem> copy_problem(std::int64_t count, const Setting& setting) {
  const bool reads = setting["reads"].front() == 1;
  const bool writes = setting.number("writes") == 1;
  const int window = setting.number("window");
  const bool told = setting["reads"].size() > 1;
  const Order order(count / piece, window);
  const auto number_at = [=](bool moved) {
    return [=](std::uint64_t seed, std::int64_t index) {
      return hashed_float(seed, moved ? order(index) : index);
    };
  };
  auto made = make_owned<CopyProblem>(
      told ? Surroundings{enter_fetches, leave_fetch_granularity} : Surroundings{}, setting);
  const auto& in = made->input<float>("in", {count}, number_at(writes && !reads));
  auto& out = made->output<float>("out", {count}, number_at(reads && !writes));
  const auto kernel = reads    ? writes ? copy_scattered<true, true> : copy_scattered<true, false>
                      : writes ? copy_scattered<false, true>
                               : copy_scattered<false, false>;
  made->launches([=, &in, &out](cudaStream_t stream) {
    if (count > 0) kernel<<<grid_for(count, block), block, 0, stream>>>(in.data(), out.data(), count, order);
  });
  return made;
}

model::Prediction predict(std::int64_t count, bool reads, bool writes) {
  const std::int64_t warps = count / model::warp_size;
  const auto in_order = [](int lane) { return lane; };
  const auto apart = [](int lane) { return lane / piece * 4 * piece + lane % piece; };  // in four lines
  model::Prediction made;
  if (reads) made.global_load(warps, 4, apart);
  if (!reads) made.global_load(warps, 4, in_order);
  if (writes) made.global_store(warps, 4, apart);
  if (!writes) made.global_store(warps, 4, in_order);
  return made;
}
}  // namespace

void weft::register_steps() {
  // Whether the reads are in random order; then, if it is said, how many bytes the L2 fetches at a time.
  const List<Numbers> ways_to_read{{1}, {0}, {1, 32}};
  const Axes axes =
      Axes(block).with_tuples("reads", ways_to_read).with("writes", {1, 0}).with("window", {0, 256});
  for (const Setting& setting : axes.settings()) {
    const bool reads = setting["reads"].front() == 1;
    const bool writes = setting.number("writes") == 1;
    const int window = setting.number("window");
    if (!reads && !writes && window > 0) continue;        // nothing moves in any window
    if (writes && setting["reads"].size() > 1) continue;  // asked of the reads alone
    Variant made("scattered-sides", setting);
    made.kind = Kind::experiment;
    made.checked = {{0}, {1}, {7}, {8}, {9}, {255}, {256}, {257}, {2048}, {4099}, {65'537}};
    made.measured = {{timed_size}};
    made.counted = {{counted_size}};
    made.make = [=](const Shape& shape) { return copy_problem(shape[0], setting); };
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 2 * std::int64_t{sizeof(float)} * shape[0]};
    };
    made.predict = [=](const Shape& shape) { return predict(shape[0], reads, writes); };
    add(std::move(made));
  }
}
