// A thread has results down and across: each element of A that it takes serves a row of them, each of B a
// column.
#include "both_sides.hpp"

namespace {
template <int side, int factor>
__global__ __launch_bounds__(side* side) void both_sides(Multiplication p) {
  multiply_both_sides<side, factor>(p);
}

/// What a step's variants call, by their side and factor: `call.template operator()<side, factor>()`.
template <typename Call>
auto with(const Setting& setting, const Call& call) {
  const int factor = setting.number("factor");
  if (setting.number("side") == 32) {
    if (factor == 1) return call.template operator()<32, 1>();
    if (factor == 2) return call.template operator()<32, 2>();
    return factor == 4 ? call.template operator()<32, 4>() : call.template operator()<32, 8>();
  }
  if (factor == 1) return call.template operator()<16, 1>();
  if (factor == 2) return call.template operator()<16, 2>();
  if (factor == 4) return call.template operator()<16, 4>();
  return factor == 8 ? call.template operator()<16, 8>() : call.template operator()<16, 16>();
}

void launch(cudaStream_t stream, const Multiplication& p, const Setting& setting) {
  with(setting,
       [&]<int side, int factor> { launch_both_sides<side, factor>(stream, p, both_sides<side, factor>); });
}

model::Prediction predict(const Multiplication& p, const Setting& setting) {
  return with(setting, [&]<int side, int factor> { return predict_both_sides<side, factor>(p); });
}
}  // namespace

/// Left out is what no block of 1024 threads has room for.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("side", {16, 32}).with("factor", {8, 1, 2, 4, 16}).settings()) {
    const int side = setting.number("side");
    const int factor = setting.number("factor");
    if (side * factor > 256) continue;
    add_product("both-sides", setting, {launch, predict, side * factor == 256});
  }
}
