// Sixteen mebibytes, which the L2 holds, are written again and again.
#include "stream.hpp"

void weft::register_steps() {
  Variant made = bandwidth("l2-write", {}, writing<8>, a_block_for_each_tile);
  made.kind = Kind::ceiling;
  made.measured = {{16, 128}};
  add(std::move(made));
}
