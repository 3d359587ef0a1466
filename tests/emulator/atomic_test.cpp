// Atomics on floats of all sizes, alone and in vectors.

#include <doctest/doctest.h>

#include <string>

#include "check_instruction.hpp"

using namespace weft::emulator;

TEST_CASE("all lanes add to one float, one half, one pair of halves") {
  const Array sums(Words(32));
  run_body(
      ".reg .f32 %f; mov.f32 %f, 0f3F800000; red.global.add.f32 [%p0], %f;\n"
      ".reg .b16 %h; mov.b16 %h, 0x3c00; red.global.add.noftz.f16 [%p0+4], %h;\n"
      ".reg .b32 %w; mov.b32 %w, 0x40003c00; red.global.add.noftz.f16x2 [%p0+8], %w;\n"
      "mov.b32 %w, 0x3f803f80; red.global.add.noftz.bf16x2 [%p0+12], %w;\n"
      ".reg .f64 %x; mov.f64 %x, 0d3FE0000000000000; red.global.add.f64 [%p0+16], %x;\n"
      "mov.b16 %h, 0x4000; red.global.max.noftz.f16 [%p0+24], %h;",
      {&sums});
  CHECK(sums.words()[0] == 0x42000000);  // 32
  CHECK(sums.words()[1] == 0x5000);
  CHECK(sums.words()[2] == 0x54005000);
  CHECK(sums.words()[3] == 0x42004200);
  CHECK(sums.words()[5] == 0x40300000);  // 16
  CHECK(sums.words()[6] == 0x4000);
}

TEST_CASE("vectors are added element by element, in one request") {
  const Array sums(Words(256, 0x3f800000));
  const Counted counted = run_body(
      ".reg .b64 %o; mul.wide.u32 %o, %t, 16; add.u64 %o, %o, %p0; .reg .f32 %f<4>;\n"
      "mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f40400000; mov.f32 %f3, 0f40800000;\n"
      "red.global.add.v4.f32 [%o], {%f0, %f1, %f2, %f3};",
      {&sums});
  CHECK(counted.counts.back().requests == 1);
  CHECK(counted.counts.back().units == 16);
  for (std::size_t i = 0; i < 128; ++i) CHECK(as_float(sums.words()[i]) == static_cast<float>(2 + i % 4));
  CHECK(as_float(sums.words()[128]) == 1);
}

TEST_CASE("a vector atomic gives back what was there") {
  const Array words(ramp(1, 0x3c003c00));
  run_body(
      ".reg .b64 %o; mul.wide.u32 %o, %t, 8; add.u64 %o, %o, %p0; .reg .b32 %a, %b; .reg .pred %q;\n"
      "setp.lt.u32 %q, %t, 8; mov.b32 %a, 0x40004000;\n"
      "@%q atom.global.add.noftz.v2.f16x2 {%a, %b}, [%o], {%a, %a};\n"
      "@%q st.global.v2.b32 [%o+64], {%b, %a};",
      {&words});
  CHECK(words.words()[0] == 0x42004200);
  CHECK(words.words()[16] == 0x3c003c01);
  CHECK(words.words()[17] == 0x3c003c00);
}

TEST_CASE("subnormal sums of floats vanish in global memory and stay in shared memory") {
  const Array out(Words(32));
  run_body(own_word +
               ".shared .align 4 .b8 s[4]; .reg .f32 %f; .reg .b32 %z, %v; mov.u32 %z, 0; mov.b32 %f, "
               "0x00000001;\n"
               ".reg .pred %q; setp.eq.u32 %q, %t, 0; @%q st.shared.b32 [s], %z; bar.sync 0;\n"
               "@%q red.shared.add.f32 [s], %f; @%q red.global.add.f32 [%p0+4], %f;\n"
               "@%q ld.shared.b32 %v, [s]; @%q st.global.b32 [%p0], %v;",
           {&out});
  CHECK(out.words()[0] == 1);
  CHECK(out.words()[1] == 0);
}

TEST_CASE("16 bits are compared and exchanged, and their neighbours stay") {
  const Array words(Words(32, 0xaaaabbbb));
  run_body(
      ".reg .b16 %n, %o, %x; mov.b16 %o, 0xbbbb; mov.b16 %n, 0x1234; atom.global.cas.b16 %x, [%p0], %o, %n;",
      {&words});
  CHECK(words.words()[0] == 0xaaaa1234);
}
