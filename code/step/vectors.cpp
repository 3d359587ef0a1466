#include "step/step.hpp"

// NOLINTBEGIN(bugprone-std-namespace-modification)
template class std::vector<weft::Parameter>;
template class std::vector<weft::Parameters>;
template class std::vector<weft::Quantity>;
template class std::vector<weft::Series>;
// NOLINTEND(bugprone-std-namespace-modification)
