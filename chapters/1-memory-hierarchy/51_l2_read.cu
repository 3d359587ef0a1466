// Sixteen mebibytes, which the L2 holds, are read again and again past the L1.
#include "stream.hpp"

void weft::register_steps() {
  Variant made = bandwidth("l2-read", {}, reading<8>, a_block_for_each_multiprocessor);
  made.kind = Kind::ceiling;
  made.measured = {{16, 128}};
  add(std::move(made));
}
