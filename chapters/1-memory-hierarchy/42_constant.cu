// A warp follows a ring in constant memory: how does the cost of a load change with the size of the ring, and
// with the number of different addresses in the warp?
#include <algorithm>

#include "problem.hpp"

namespace {
constexpr std::int64_t apart = 64;  // bytes from a link to the next
constexpr std::int64_t most_bytes = std::int64_t{64} << 10;
constexpr int lanes = model::warp_size;

// [kernel]
/// All the constant memory that a program can name; each link is the byte at which the next one begins.
__constant__ std::uint32_t links[most_bytes / 4];

/// @param addresses how many different words the lanes begin at
__global__ void walk(std::uint32_t* end, std::int64_t steps, unsigned addresses) {
  std::uint32_t at = threadIdx.x % addresses * apart;
#pragma unroll 4
  for (std::int64_t step = 0; step < steps; ++step) {
    at = *reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const char*>(links) + at);
  }
  end[threadIdx.x] = at;
}
// [kernel]

/// Fills constant memory with the ring.
class ConstantProblem : public ArrayProblem {
 public:
  explicit ConstantProblem(std::int64_t bytes) : bytes_(bytes) {}

  void fill(std::uint64_t seed) override {
    ArrayProblem::fill(seed);
    List<std::uint32_t> ring(static_cast<std::size_t>(bytes_) / 4);
    for (std::int64_t byte = 0; byte < bytes_; byte += apart) {
      ring[static_cast<std::size_t>(byte) / 4] = static_cast<std::uint32_t>((byte + apart) % bytes_);
    }
    cuda_check(cudaMemcpyToSymbol(links, ring.data(), static_cast<std::size_t>(bytes_)));
  }

 private:
  std::int64_t bytes_;
};

Owned<Problem> make(std::int64_t steps, std::int64_t bytes, int addresses) {
  auto problem = make_owned<ConstantProblem>(bytes);
  auto& end = problem->output<std::uint32_t>("end", {lanes}, [=](auto, std::int64_t lane) {
    return static_cast<std::uint32_t>((lane % addresses + steps) * apart % bytes);
  });
  problem->launches([=, &end](cudaStream_t stream) {
    walk<<<1, lanes, 0, stream>>>(end.data(), steps, static_cast<unsigned>(addresses));
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes()
                        .with("bytes", {2048, 64, 1024, 1536, 2560, 3072, 4096, 8192, 16384, 24576, 32768,
                                        40960, 49152, 65536})
                        .with("addresses", {1, 2, 4, 8, 16, 32});
  for (const Setting& setting : axes.settings()) {
    const std::int64_t bytes = setting.number("bytes");
    const int addresses = setting.number("addresses");
    if (addresses > 1 && bytes != 2048) continue;  // one axis at a time
    Variant made("constant", setting);
    made.curve = true;
    made.checked = {{0}, {256}};
    made.measured = {{std::int64_t{1} << 18}};
    made.counted = {{256}};
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0]}; };
    made.make = [=](const Shape& shape) { return make(shape[0], bytes, addresses); };
    made.quantities = {{"idc__request_hit_rate.pct", "%", Origin::profiler, {}}};
    made.predict = [](const Shape&) {
      return model::Prediction{}.global_store(1, 4, [](int lane) { return lane; });
    };
    add(std::move(made));
  }
}
