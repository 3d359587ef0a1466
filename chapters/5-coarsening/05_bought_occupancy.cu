// The compiler is told how many blocks a multiprocessor shall hold: it gives each thread fewer registers, and
// what does not fit into them goes to memory.
#include "both_sides.hpp"

namespace {
constexpr int side = 16;
constexpr int factor = 8;

// [kernel]
/// @tparam resident blocks that a multiprocessor shall hold at least
template <int resident>
__global__ __launch_bounds__(side* side, resident) void bought_occupancy(Multiplication p) {
  multiply_both_sides<side, factor>(p);
}
// [kernel]

void launch(cudaStream_t stream, const Multiplication& p, const Setting& setting) {
  const int resident = setting.number();
  const auto kernel = resident == 1   ? bought_occupancy<1>
                      : resident == 2 ? bought_occupancy<2>
                      : resident == 3 ? bought_occupancy<3>
                                      : bought_occupancy<4>;
  launch_both_sides<side, factor>(stream, p, kernel);
}

model::Prediction predict(const Multiplication& p, const Setting& /*setting*/) {
  return predict_both_sides<side, factor>(p);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("resident", {2, 1, 3, 4}).settings()) {
    add_product("bought-occupancy", setting, {launch, predict, setting.number() > 2});
  }
}
