// A single thread goes from place to place, and waits for each.
#include "problem.hpp"

__global__ void alone(const int* next, int* places, std::int64_t size, std::int64_t* cycles) {
  const std::int64_t start = clock64();
  for (std::int64_t i = 0, place = 0; i < size; ++i) places[i] = place = next[place];
  *cycles = clock64() - start;
}

void launch(cudaStream_t stream, const int* next, int* places, std::int64_t size, auto,
            std::int64_t* cycles) {
  alone<<<1, 1, 0, stream>>>(next, places, size, cycles);
}

void weft::register_steps() {
  for (const Setting& setting : Axes().with("stride", {1, 8, 64, 512}).settings()) {
    Variant made = walk("alone", setting, launch<std::int64_t>);
    made.rated_by = Rating::accesses;
    made.l2 = L2::warm;
    made.quantities = {{"walk", "cycles", Origin::clock, written_number()}};
    add(made);
  }
}
