#include "model/prediction.hpp"

template class std::vector<weft::model::Line>;  // NOLINT(bugprone-std-namespace-modification)
