#include "problem.hpp"

namespace weft {

std::int64_t threads_of_card() {
  return std::int64_t{multiprocessors()} * blocks_of_multiprocessor * full_block.x;
}

Variant roof(const char* name, std::int64_t measured, std::int64_t counted) {
  Variant made(name, Axes().settings().front());
  made.kind = Kind::ceiling;
  made.checked = {{0}, {counted}};
  made.measured = {{measured}};
  made.counted = {{counted}};
  return made;
}

}  // namespace weft
