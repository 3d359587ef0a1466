// CUB's histogram, which tunes itself to the card.
#include <dlfcn.h>

#include <limits>

#include "cub_histogram.hpp"
#include "histogram.hpp"

namespace {
/// Null where CUB's kernels were not built.
template <typename Element>
cub_histogram::Even<Element>* even(const char* name) {
  static void* const library = dlopen(cub_histogram::library, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<cub_histogram::Even<Element>*>(dlsym(library, name));
}

constexpr std::size_t workspace_bytes = std::size_t{1} << 26;

// [launch]
template <typename Element>
void launch(cudaStream_t stream, const Histogram& histogram, const char* name) {
  auto* const even_of = even<Element>(name);
  if (even_of == nullptr) unavailable("this needs CUB's kernels, which `make reproduce` builds");
  if (histogram.count > std::numeric_limits<int>::max())
    unavailable("this call of CUB takes 2^31 - 1 elements");
  std::size_t bytes = workspace_bytes;
  cuda_check(even_of(histogram.workspace, &bytes, reinterpret_cast<const Element*>(histogram.words),
                     histogram.bins, static_cast<int>(histogram.count), stream));
}
// [launch]
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("bins", {256, 4096}).with("same", percents_of_same).settings()) {
    const bool of_bytes = setting.number("bins") == bytes.bins;
    Variant made =
        histogram_variant("device-histogram", setting,
                          {.elements = of_bytes ? bytes : shorts,
                           .launch =
                               [=](cudaStream_t stream, const Histogram& histogram) {
                                 if (of_bytes)
                                   return launch<std::uint8_t>(stream, histogram, "weft_histogram_of_bytes");
                                 launch<std::uint16_t>(stream, histogram, "weft_histogram_of_shorts");
                               },
                           .workspace = workspace_bytes / sizeof(std::uint32_t),
                           .predict = {}});
    made.kind = Kind::peer;
    made.checked_large.clear();
    made.counted.clear();
    add(std::move(made));
  }
}
