#include "model/refuse.hpp"

#include <stdexcept>

namespace weft {

void refuse(const char* why) { throw std::invalid_argument(why); }

void refuse_place() { throw std::out_of_range("a list has no value there"); }

}  // namespace weft
