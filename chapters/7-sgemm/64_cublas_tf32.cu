// The same call, allowed to round the factors to tf32 for the tensor cores: no longer FP32.
#include <limits>

#include "cublas_sgemm.hpp"
#include "search.hpp"

namespace {
List<Candidate> the_only_one(const Sgemm& /*p*/) { return {{cublas_sgemm::launch<Cublas::tf32_math>, {}}}; }
}  // namespace

// [step]
void weft::register_steps() {
  add_fastest(
      "cublas-tf32",
      {.candidates = the_only_one, .properties = {}, .most_error = std::numeric_limits<double>::infinity()},
      {.kind = Kind::peer, .everywhere = true});
}
// [step]
