// Products of matrices, and how matrices come into registers.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "check_instruction.hpp"

using namespace weft::emulator;

namespace {

std::uint32_t half_of(int value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return value == 0 ? 0 : (bits >> 16 & 0x8000U) | (((bits & 0x7fffffffU) >> 13) - (112U << 10));
}

/// Packs a matrix by rows, elements of `bits` bits each.
Words packed(int rows, int columns, int bits, auto element) {
  Words words(std::max<std::size_t>(32, static_cast<std::size_t>(rows * columns * bits / 32)));
  for (int i = 0; i < rows * columns; ++i) {
    const std::uint32_t mask = bits == 32 ? ~0U : (1U << bits) - 1;
    words[static_cast<std::size_t>(i * bits / 32)] |= (element(i / columns, i % columns) & mask)
                                                      << (i * bits % 32);
  }
  return words;
}

int product(int row, int column, int depth) {
  int sum = small_whole(row, column, 3);
  for (int k = 0; k < depth; ++k) sum += small_whole(row, k, 1) * small_whole(k, column, 2);
  return sum;
}

/// Copies %p0's 512 bytes into shared memory, at s.
const std::string to_shared =
    ".shared .align 128 .b8 s[2048]; .reg .b32 %w<8>; .reg .b64 %o; mul.wide.u32 %o, %t, 16; add.u64 %o, %o, "
    "%p0;\n"
    ".reg .b32 %a; mov.u32 %a, s; mad.lo.u32 %a, %t, 16, %a;\n"
    "ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%o]; st.shared.v4.b32 [%a], {%w0, %w1, %w2, %w3}; bar.sync 0;\n";

/// Writes %r0 to %r3 to %p1, four words for each lane.
const std::string write_four =
    "mul.wide.u32 %o, %t, 16; add.u64 %o, %o, %p1; st.global.v4.b32 [%o], {%r0, %r1, %r2, %r3};\n";

}  // namespace

TEST_CASE("ldmatrix gives each lane two neighbours of a row, or of a column") {
  Words numbers(128);  // 256 halves: four matrices of 8 rows, one row after the other
  for (std::uint32_t i = 0; i < 128; ++i) numbers[i] = 2 * i | (2 * i + 1) << 16;
  const Array in(numbers);
  for (const bool transposed : {false, true}) {
    const Array out(Words(128));
    const Counted counted = run_body(
        joined({to_shared, ".reg .b32 %r<4>; ldmatrix.sync.aligned.m8n8.x4", transposed ? ".trans" : "",
                ".shared.b16 {%r0, %r1, %r2, %r3}, [%a];\n", write_four}),
        {&in, &out});
    const Words words = out.words();
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t matrix = 0; matrix < 4; ++matrix) {
        const std::uint32_t line = lane / 4;
        const std::uint32_t along = lane % 4 * 2;
        const std::uint32_t first = matrix * 64 + (transposed ? along * 8 + line : line * 8 + along);
        CHECK(words[lane * 4 + matrix] == (first | (first + (transposed ? 8 : 1)) << 16));
      }
    }
    CHECK(counted.counts[2].requests == 1);
    CHECK(counted.counts[2].units == 4);
  }
}

TEST_CASE("rows of ldmatrix that lie in the same banks take a wavefront each") {
  const Array in(Words(128));
  const Array out(Words(128));
  const std::string load =
      ".reg .b32 %r<4>, %z; mov.u32 %a, s; and.b32 %t, %t, 7; mad.lo.u32 %a, %t, 128, %a;\n"
      "mov.u32 %z, 0; st.volatile.shared.v4.b32 [%a], {%z, %z, %z, %z}; bar.warp.sync -1;\n"
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%a];\n";
  CHECK(run_body(to_shared + load, {&in, &out}).counts[3].units == 32);
}

TEST_CASE("stmatrix puts back what ldmatrix got") {
  const Array in(ramp(0x01030107, 5));
  const Array more(Words(128));
  const Array out(Words(128));
  run_body(
      to_shared +
          ".reg .b32 %r<4>; ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r0, %r1}, [%a];\n"
          "st.shared.v4.b32 [%a+1024], {%w0, %w1, %w2, %w3}; bar.sync 0;\n"
          "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r0; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n"
          "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%a+1024], {%r0, %r1}; bar.sync 0;\n"
          "ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%a+1024];\n" +
          write_four,
      {&more, &out, &in});
  CHECK(out.words() == more.words());
}

TEST_CASE("mma.sync multiplies halves") {
  // A by rows, 16 × 16; B by rows, 16 × 8, behind it.
  Words numbers = packed(16, 16, 16, [](int row, int k) { return half_of(small_whole(row, k, 1)); });
  const Words b = packed(16, 8, 16, [](int k, int column) { return half_of(small_whole(k, column, 2)); });
  numbers.insert(numbers.end(), b.begin(), b.end());
  const Array in(numbers);
  const Array c(packed(16, 8, 32, [](int row, int column) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(small_whole(row, column, 3)));
  }));
  const Array out(Words(128));
  run_body(
      to_shared +
          "add.u64 %o, %o, 512; .reg .pred %q; setp.lt.u32 %q, %t, 16;\n"
          "@%q ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%o]; @%q st.shared.v4.b32 [%a+512], {%w0, %w1, %w2, "
          "%w3};\n"
          "bar.sync 0; .reg .b32 %x<4>, %y<2>, %l, %m; .reg .f32 %r<4>;\n"
          // Lanes 0-15 point to the rows' first halves, lanes 16-31 to their second ones.
          "and.b32 %l, %t, 15; shr.u32 %m, %t, 4; mov.u32 %a, s; mad.lo.u32 %l, %l, 32, %a;\n"
          "mad.lo.u32 %l, %m, 16, %l; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%x0, %x1, %x2, %x3}, [%l];\n"
          "and.b32 %l, %t, 15; mad.lo.u32 %l, %l, 16, %a;\n"
          "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%y0, %y1}, [%l+512];\n"
          // C: two neighbours in row lane / 4, and two eight rows below.
          "shr.u32 %l, %t, 2; and.b32 %m, %t, 3; mul.lo.u32 %l, %l, 32; mad.lo.u32 %l, %m, 8, %l;\n"
          "cvt.u64.u32 %o, %l; .reg .b64 %c; add.u64 %c, %o, %p1; add.u64 %o, %o, %p2;\n"
          "ld.global.v2.f32 {%r0, %r1}, [%c]; ld.global.v2.f32 {%r2, %r3}, [%c+256];\n"
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0, %r1, %r2, %r3}, {%x0, %x1, %x2, %x3}, "
          "{%y0, %y1},\n"
          "  {%r0, %r1, %r2, %r3};\n"
          "st.global.v2.f32 [%o], {%r0, %r1}; st.global.v2.f32 [%o+256], {%r2, %r3};",
      {&in, &c, &out});
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column)
      CHECK(as_float(out.words()[static_cast<std::size_t>(row * 8 + column)]) == product(row, column, 16));
  }
}

namespace {

/// wmma's product of whole numbers, all matrices by rows in memory.
/// @param shape such as "m16n16k16"; @param types of wmma.mma; @param registers of a, b and the sums
void check_wmma(const std::string& shape, const std::string& factor, const std::string& sum,
                const std::string& types, int rows, int columns, int depth, int a_registers, int b_registers,
                int sum_registers) {
  const auto list = [](std::string_view name, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text.append(i == 0 ? "{%" : ", %").append(name).append(std::to_string(i));
    return text.append("}");
  };
  const bool bytes = factor == "s8";
  const int bits = bytes ? 8 : (factor == "tf32" ? 32 : 16);
  const auto value = [&](int number) {
    const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    if (bytes) return static_cast<std::uint32_t>(number);
    if (factor == "bf16") return single >> 16;
    return factor == "tf32" ? single : half_of(number);
  };
  const auto total = [&](int number) {
    if (sum == "s32") return static_cast<std::uint32_t>(number);
    return sum == "f16" ? half_of(number) : std::bit_cast<std::uint32_t>(static_cast<float>(number));
  };
  const Array a(packed(rows, depth, bits, [&](int row, int k) { return value(small_whole(row, k, 1)); }));
  const Array b(
      packed(depth, columns, bits, [&](int k, int column) { return value(small_whole(k, column, 2)); }));
  const int sum_bits = sum == "f16" ? 16 : 32;
  const Array c(packed(rows, columns, sum_bits,
                       [&](int row, int column) { return total(small_whole(row, column, 3)); }));
  const Array d(Words(static_cast<std::size_t>(rows * columns)));
  const std::string head = ".sync.aligned.row." + shape + ".global.";
  run_body(joined({".reg .b32 %a<8>, %b<8>, %c<8>; .reg .b32 %s; ",
                   "mov.u32 %s, ",
                   std::to_string(depth),
                   "; wmma.load.a",
                   head,
                   factor,
                   " ",
                   list("a", a_registers),
                   ", [%p0], %s;\nmov.u32 %s, ",
                   std::to_string(columns),
                   "; wmma.load.b",
                   head,
                   factor,
                   " ",
                   list("b", b_registers),
                   ", [%p1], %s;\nwmma.load.c",
                   head,
                   sum,
                   " ",
                   list("c", sum_registers),
                   ", [%p2], %s;\nwmma.mma.sync.aligned.row.row.",
                   shape,
                   ".",
                   types,
                   " ",
                   list("c", sum_registers),
                   ", ",
                   list("a", a_registers),
                   ", ",
                   list("b", b_registers),
                   ", ",
                   list("c", sum_registers),
                   ";\nwmma.store.d",
                   head,
                   sum,
                   " [%p3], ",
                   list("c", sum_registers),
                   ", %s;"}),
           {&a, &b, &c, &d});
  const Words expected = packed(rows, columns, sum_bits,
                                [&](int row, int column) { return total(product(row, column, depth)); });
  const Words got = d.words();
  CAPTURE(types);
  CAPTURE(shape);
  CHECK(std::equal(expected.begin(), expected.end(), got.begin()));
}

}  // namespace

TEST_CASE("wmma multiplies in all its shapes") {
  check_wmma("m16n16k16", "f16", "f32", "f32.f32", 16, 16, 16, 8, 8, 8);
  check_wmma("m32n8k16", "f16", "f16", "f16.f16", 32, 8, 16, 8, 8, 4);
  check_wmma("m8n32k16", "f16", "f32", "f32.f32", 8, 32, 16, 8, 8, 8);
  check_wmma("m16n16k16", "bf16", "f32", "f32.bf16.bf16.f32", 16, 16, 16, 4, 4, 8);
  check_wmma("m8n32k16", "bf16", "f32", "f32.bf16.bf16.f32", 8, 32, 16, 2, 8, 8);
  check_wmma("m16n16k8", "tf32", "f32", "f32.tf32.tf32.f32", 16, 16, 8, 4, 4, 8);
  check_wmma("m16n16k16", "s8", "s32", "s32.s8.s8.s32", 16, 16, 16, 2, 2, 8);
  check_wmma("m32n8k16", "s8", "s32", "s32.s8.s8.s32", 32, 8, 16, 4, 1, 8);
}

TEST_CASE("wmma loads from shared memory as ldmatrix does, and transposes where that is not the layout") {
  Words numbers(128);  // 16 × 16 halves
  for (std::uint32_t i = 0; i < 128; ++i) numbers[i] = 2 * i | (2 * i + 1) << 16;
  const Array in(numbers);
  const std::string before = to_shared + ".reg .b32 %r<8>, %s; mov.u32 %s, 16; mov.u32 %a, s;\n";
  const std::string load = ".m16n16k16.shared.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%a], %s;\n";
  const std::string store = ".m16n16k16.global.f16 [%p1], {%r0, %r1, %r2, %r3}, %s;";
  for (const std::string_view loaded : {"row", "col"}) {
    for (const std::string_view stored : {"row", "col"}) {
      const Array out(Words(128));
      const Counted counted = run_body(joined({before, "wmma.load.a.sync.aligned.", loaded, load,
                                               "wmma.store.d.sync.aligned.", stored, store}),
                                       {&in, &out});
      const Words words = out.words();
      for (std::uint32_t i = 0; i < 256; ++i) {
        const std::uint32_t got = words[i / 2] >> (i % 2 * 16) & 0xffffU;
        CHECK(got == (loaded != stored ? i % 16 * 16 + i / 16 : i));
      }
      CHECK(counted.counts[2].requests == 1);
      CHECK(counted.counts[2].units == 8);  // a row's banks are those of the fourth row behind it, too
      CHECK(counted.counts[3].requests == 4);
      CHECK(counted.counts[3].units == 32);
    }
  }
}

TEST_CASE("a matrix is loaded over its own address and stride") {
  Words numbers(128);
  for (std::uint32_t i = 0; i < 128; ++i) numbers[i] = i * 0x10001U;
  const Array in(numbers);
  const Array out(Words(128));
  run_body(to_shared +
               ".reg .b32 %r<4>, %s; mov.u32 %r0, s; mov.u32 %r1, 16; mov.u32 %s, 16;\n"
               "wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r0, %r1, %r2, %r3}, [%r0], %r1;\n"
               "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%p1], {%r0, %r1, %r2, %r3}, %s;",
           {&in, &out});
  CHECK(out.words() == numbers);
}

TEST_CASE("a sum lies in the registers of what is added, in another order") {
  const Array out(Words(64));
  run_body(
      ".reg .b32 %r<2>, %z; .reg .f64 %d<2>, %n; .reg .b64 %o; mov.u32 %z, 0; mov.f64 %n, "
      "0d0000000000000000;\n"
      "mov.u32 %r0, %t; add.u32 %r1, %t, 100; cvt.rn.f64.u32 %d0, %r0; cvt.rn.f64.u32 %d1, %r1;\n"
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r0}, {%z}, {%z}, {%r0, %r1};\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d0}, {%n}, {%n}, {%d0, %d1};\n"
      "cvt.rzi.u32.f64 %z, %d0; mad.lo.u32 %r0, %z, 1000, %r0;\n"
      "cvt.rzi.u32.f64 %z, %d1; mad.lo.u32 %r1, %z, 1000, %r1;\n"
      "mul.wide.u32 %o, %t, 8; add.u64 %o, %o, %p0; st.global.v2.b32 [%o], {%r0, %r1};",
      {&out});
  const Words got = out.words();
  for (std::size_t lane = 0; lane < 32; ++lane) {
    CHECK(got[2 * lane] == (lane + 100) * 1001);
    CHECK(got[2 * lane + 1] == lane * 1001);
  }
}

TEST_CASE("doubles: one product in each lane, summed along the depth") {
  // A: row lane / 4, column lane % 4; B: row lane % 4, column lane / 4; all ones but for B's, which are its
  // row.
  const Array out(Words(128));
  run_body(
      ".reg .f64 %a, %b, %c0, %c1; .reg .b32 %k; .reg .b64 %o; and.b32 %k, %t, 3; cvt.rn.f64.u32 %b, %k;\n"
      "mov.f64 %a, 0d3FF0000000000000; mov.f64 %c0, 0d4024000000000000; mov.f64 %c1, %c0;\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%c0, %c1}, {%a}, {%b}, {%c0, %c1};\n"
      "mul.wide.u32 %o, %t, 16; add.u64 %o, %o, %p0; st.global.v2.f64 [%o], {%c0, %c1};",
      {&out});
  for (std::size_t i = 0; i < 64; ++i) CHECK(out.words()[2 * i + 1] == 0x40300000);  // 10 + 0 + 1 + 2 + 3
}

TEST_CASE("a sum of halves is cut far below its largest term, not rounded") {
  // Every element of A is 1. In B's first column stand 2^15, -2^15 and a small one: 2^-11 lies 26 bits below
  // the largest, and is lost; 2^-10 is not.
  for (const auto& [small, sum] : {std::pair{0x1000U, 0.0F}, std::pair{0x1400U, 0x1p-10F}}) {
    const Array out(Words(128));
    run_body(
        joined(
            {".reg .b32 %x, %y0, %y1; .reg .f32 %c<4>; .reg .pred %q; mov.b32 %x, 0x3c003c00;\n"
             "mov.b32 %y0, 0; mov.b32 %y1, 0; mov.f32 %c0, 0f00000000; setp.eq.u32 %q, %t, 0;\n"
             "@%q mov.b32 %y0, 0xf8007800; @%q mov.b32 %y1, ",
             std::to_string(small),
             ";\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, {%x, %x, %x, %x},\n"
             "  {%y0, %y1}, {%c0, %c0, %c0, %c0};\n@%q st.global.f32 [%p0], %c0;"}),
        {&out});
    CHECK(as_float(out.words()[0]) == sum);
  }
}

TEST_CASE("a shape that is not known is refused") {
  const Array out(Words(32));
  CHECK_THROWS_WITH(
      run_body(".reg .b32 %x; mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%x, %x}, {%x}, {%x}, "
               "{%x, %x};",
               {&out}),
      doctest::Contains("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32"));
}
