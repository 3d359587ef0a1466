#include "model/refuse.hpp"

#include <stdexcept>

namespace weft {

void refuse(const char* why) { throw std::invalid_argument(why); }

}  // namespace weft
