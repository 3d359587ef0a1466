// Products of matrices by four warps, of which the tests' one has the first 16 rows.

#include <doctest/doctest.h>

#include <bit>
#include <string>

#include "check_instruction.hpp"
#include "emulator/operation/warpgroup_product.hpp"

using namespace weft::emulator;

namespace {

Words matrix(int rows, int columns, int seed) {
  Words words;
  for (int i = 0; i < rows * columns; ++i)
    words.push_back(bits_of(static_cast<float>(small_whole(i / columns, i % columns, seed))));
  return words;
}

/// Lane l loads A's elements (l / 4, l % 4), eight rows below, and both four columns further.
const std::string load_a =
    ".reg .b32 %a<4>, %g, %k, %o; .reg .b64 %p; shr.u32 %g, %t, 2; and.b32 %k, %t, 3;\n"
    "mad.lo.u32 %o, %g, 8, %k; mul.wide.u32 %p, %o, 4; add.u64 %p, %p, %p0;\n"
    "ld.global.b32 %a0, [%p]; ld.global.b32 %a1, [%p+256]; ld.global.b32 %a2, [%p+16]; ld.global.b32 %a3, "
    "[%p+272];\n";

/// Lane l puts B's elements (l % 4, l / 4) and (l % 4 + 4, l / 4) into shared memory, a column to 128 bytes,
/// whose pieces of 16 bytes are swizzled.
const std::string load_b =
    ".shared .align 1024 .b8 s[1024]; .reg .b32 %b, %c, %q, %w; mad.lo.u32 %o, %k, 8, %g;\n"
    "mul.wide.u32 %p, %o, 4; add.u64 %p, %p, %p1; mov.u32 %c, s; mad.lo.u32 %c, %g, 128, %c;\n"
    "mad.lo.u32 %c, %k, 4, %c; shl.b32 %q, %g, 4; add.u32 %w, %c, %q; ld.global.b32 %b, [%p];\n"
    "st.shared.b32 [%w], %b; xor.b32 %q, %q, 16; add.u32 %w, %c, %q; ld.global.b32 %b, [%p+128];\n"
    "st.shared.b32 [%w], %b; bar.sync 0;\n";

/// The descriptor of B: swizzled by 128 bytes, eight columns in 1024.
const std::string describe_b =
    ".reg .b64 %d; mov.u32 %o, s; shr.u32 %o, %o, 4; cvt.u64.u32 %d, %o; or.b64 %d, %d, "
    "4611686293305294848;\n";

const std::string start_sums =
    ".reg .f32 %r<4>; mov.f32 %r0, 0f42C80000; mov.f32 %r1, %r0; mov.f32 %r2, %r0; mov.f32 %r3, %r0;\n"
    ".reg .pred %s; setp.ne.u32 %s, 0, ";

const std::string multiply =
    "; wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%r0, %r1, %r2, %r3}, {%a0, %a1, %a2, %a3}, %d, %s, "
    "1, 1;\n"
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";

const std::string write_sums =
    "mad.lo.u32 %o, %t, 16, 0; cvt.u64.u32 %p, %o; add.u64 %p, %p, %p2;\n"
    "st.global.v4.f32 [%p], {%r0, %r1, %r2, %r3};\n";

/// C + A B, or A B.
float expected(int row, int column, bool adds) {
  int sum = adds ? 100 : 0;
  for (int k = 0; k < 8; ++k) sum += small_whole(row, k, 1) * small_whole(k, column, 2);
  return static_cast<float>(sum);
}

}  // namespace

TEST_CASE("wgmma multiplies tf32, A in registers and B in swizzled shared memory") {
  const Array a(matrix(16, 8, 1));
  const Array b(matrix(8, 8, 2));
  for (const bool adds : {false, true}) {
    const Array out(Words(128));
    run_body(joined({load_a, load_b, describe_b, start_sums, adds ? "1" : "0", multiply, write_sums}),
             {&a, &b, &out});
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4; ++i) {
        CHECK(as_float(out.words()[static_cast<std::size_t>(4 * lane + i)]) ==
              expected(lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2, adds));
      }
    }
  }
}

TEST_CASE("a descriptor names the byte of a row, swizzled or not") {
  constexpr std::uint64_t start = 2048;
  constexpr std::uint64_t eight_rows = std::uint64_t{1024 / 16} << 32;
  const MatrixDescriptor swizzled(std::uint64_t{1} << 62 | eight_rows | start / 16);
  CHECK(swizzled.address(0, 20) == start + 20);
  CHECK(swizzled.address(3, 20) == start + 384 + (16 ^ 48) + 4);
  CHECK(swizzled.address(9, 0) == start + 1024 + 128 + 16);
  const MatrixDescriptor by_64(std::uint64_t{2} << 62 | eight_rows | start / 16);
  CHECK(by_64.address(2, 0) == start + 128 + 16);
  const MatrixDescriptor plain(std::uint64_t{128 / 16} << 16 | std::uint64_t{256 / 16} << 32 | start / 16);
  CHECK(plain.address(1, 20) == start + 128 + 16 + 4);
  CHECK(plain.address(8, 0) == start + 256);
}
