// The error of one chain of multiply-adds in float32, by depth and by inputs.
#include "accuracy.hpp"
#include "tiled.hpp"

void weft::register_steps() {
  add_error("float32-error", {}, tiled::launch<0>, {.kind = Kind::experiment, .workspace = tiled::workspace});
}
